import Glibc

/// A TCP port on the loopback interface that nobody listens on at this moment, for whoever listens there soon.
///
/// It is below those that the kernel gives to connections (`net.ipv4.ip_local_port_range`), thousands of which are made
/// meanwhile.
package func freePort() throws -> UInt16 {
    for _ in 0..<100 {
        if let port = try? RefusingPort(.random(in: 10_000..<32_768)) { return port.number }
    }
    throw FreePortError()
}

/// A TCP port on the loopback interface on which nobody listens, and which nobody else gets meanwhile: whoever connects to it
/// is refused.
package final class RefusingPort {
    package let number: UInt16
    private let descriptor: CInt

    /// - Parameter number: 0 for any that is free.
    package init(_ number: UInt16) throws {
        descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
        // One that was listened on until now is free, but for connections that linger.
        var reuse: CInt = 1
        _ = unsafe setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &reuse, socklen_t(MemoryLayout<CInt>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = number.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let code = unsafe withUnsafeMutablePointer(to: &address) { [descriptor] pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                guard unsafe bind(descriptor, address, length) == 0 else { return CInt(-1) }
                return unsafe getsockname(descriptor, address, &length)
            }
        }
        guard code == 0 else {
            close(descriptor)
            throw FreePortError()
        }
        self.number = UInt16(bigEndian: address.sin_port)
    }

    deinit { close(descriptor) }
}

package struct FreePortError: Error {}
