import Platform

/// A TCP port on the loopback interface that nobody listens on at this moment, for whoever listens there soon.
///
/// It is below those that the kernel gives to connections (`net.ipv4.ip_local_port_range`), thousands of which are made
/// meanwhile.
package func freePort() throws(SystemError) -> UInt16 {
    for _ in 0..<100 {
        if let port = try? RefusingPort(.random(in: 10_000..<32_768)) { return port.number }
    }
    throw SystemError(call: "bind", errno: EADDRINUSE)
}

/// A TCP port on the loopback interface on which nobody listens, and which nobody else gets meanwhile: whoever connects
/// to it is refused.
package final class RefusingPort {
    package let number: UInt16
    private let descriptor: Int32

    /// - Parameter number: 0 for any that is free.
    package init(_ number: UInt16) throws(SystemError) {
        (descriptor, self.number) = try Socket.bind(toLoopbackPort: number)
    }

    deinit { Socket.close(descriptor) }
}
