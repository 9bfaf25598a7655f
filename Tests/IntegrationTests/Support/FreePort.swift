import Glibc

/// A TCP port on the loopback interface that nobody listens on at this moment.
func freePort() throws -> UInt16 {
    let probe = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
    defer { close(probe) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let code = unsafe withUnsafeMutablePointer(to: &address) { pointer in
        unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
            guard unsafe bind(probe, address, length) == 0 else { return CInt(-1) }
            return unsafe getsockname(probe, address, &length)
        }
    }
    guard code == 0 else { throw NoFreePort() }
    return UInt16(bigEndian: address.sin_port)
}

struct NoFreePort: Error {}
