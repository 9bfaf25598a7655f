/// Whether somebody listens at an address of TCP.
package enum TCPProbe {
    package enum Outcome: Hashable, Sendable {
        case answers
        /// `getaddrinfo` knows no address of the name.
        case nameNotResolved
        /// Of the last address that was tried.
        case unreachable(errno: Int32)
    }

    /// `getaddrinfo`, `socket` and `connect` to one address after the other. Nothing is sent.
    ///
    /// - Parameter timeout: for each address.
    package static func look(host: String, port: UInt16, timeout: Duration) -> Outcome {
        var hints = unsafe addrinfo()
        unsafe hints.ai_socktype = StreamSocket.addressType
        var list: UnsafeMutablePointer<addrinfo>?
        guard unsafe getaddrinfo(host, String(port), &hints, &list) == 0 else { return .nameNotResolved }
        defer { unsafe freeaddrinfo(list) }
        var failure = EADDRNOTAVAIL
        var next = unsafe list
        while let address = unsafe next {
            failure = unsafe connect(address.pointee, timeout)
            if failure == 0 { return .answers }
            unsafe next = address.pointee.ai_next
        }
        return .unreachable(errno: failure)
    }

    /// - Returns: 0, or the `errno`.
    private static func connect(_ address: addrinfo, _ timeout: Duration) -> Int32 {
        let descriptor: Int32
        do throws(SystemError) {
            descriptor = try unsafe StreamSocket.make(family: address.ai_family)
        } catch {
            return error.errno
        }
        defer { close(descriptor) }
        guard unsafe Platform.connect(descriptor, address.ai_addr, address.ai_addrlen) != 0 else { return 0 }
        guard errno == EINPROGRESS else { return errno }
        var watched = [WatchedDescriptor(descriptor, read: false, write: true)]
        guard let count = try? waitForEvents(&watched, timeout: timeout), count > 0 else { return ETIMEDOUT }
        var (code, length): (Int32, socklen_t) = (0, socklen_t(MemoryLayout<Int32>.size))
        guard unsafe getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &length) == 0 else { return errno }
        return code
    }
}
