/// What is at an address of TCP.
package enum TCPProbe {
    package enum Outcome: Hashable, Sendable {
        case answers
        /// `getaddrinfo` knows no address of the name.
        case nameNotResolved
        /// Of the last address that was tried.
        case unreachable(errno: Int32)
    }

    /// Whether somebody listens. Nothing is sent.
    ///
    /// - Parameter timeout: for each address of the host.
    package static func look(host: String, port: UInt16, timeout: Duration) -> Outcome {
        let (outcome, descriptor) = connect(host: host, port: port, timeout: timeout)
        if let descriptor { close(descriptor) }
        return outcome
    }

    /// The first byte of the answer to a few bytes.
    ///
    /// - Parameter timeout: for each address of the host, and for the answer.
    /// - Returns: `nil` where nobody listens, or answers within `timeout`.
    package static func answer(to bytes: [UInt8], host: String, port: UInt16, timeout: Duration) -> UInt8? {
        guard let descriptor = connect(host: host, port: port, timeout: timeout).descriptor else { return nil }
        defer { close(descriptor) }
        guard StreamSocket.sendAtOnce(bytes, to: descriptor) else { return nil }
        var watched = [WatchedDescriptor(descriptor)]
        guard let count = try? waitForEvents(&watched, timeout: timeout), count > 0 else { return nil }
        var byte: UInt8 = 0
        return unsafe recv(descriptor, &byte, 1, 0) == 1 ? byte : nil
    }

    /// `getaddrinfo`, `socket` and `connect` to one address after the other.
    ///
    /// - Returns: with `answers` a descriptor, which is the caller's to close.
    private static func connect(
        host: String, port: UInt16, timeout: Duration
    ) -> (outcome: Outcome, descriptor: Int32?) {
        var hints = unsafe addrinfo()
        unsafe hints.ai_socktype = StreamSocket.addressType
        var list: UnsafeMutablePointer<addrinfo>?
        guard unsafe getaddrinfo(host, String(port), &hints, &list) == 0 else { return (.nameNotResolved, nil) }
        defer { unsafe freeaddrinfo(list) }
        var failure = EADDRNOTAVAIL
        var next = unsafe list
        while let address = unsafe next {
            do throws(SystemError) {
                let descriptor = try unsafe StreamSocket.make(family: address.pointee.ai_family)
                failure = unsafe connect(descriptor, to: address.pointee, timeout)
                if failure == 0 { return (.answers, descriptor) }
                close(descriptor)
            } catch {
                failure = error.errno
            }
            unsafe next = address.pointee.ai_next
        }
        return (.unreachable(errno: failure), nil)
    }

    /// - Returns: 0, or the `errno`.
    private static func connect(_ descriptor: Int32, to address: addrinfo, _ timeout: Duration) -> Int32 {
        guard unsafe Platform.connect(descriptor, address.ai_addr, address.ai_addrlen) != 0 else { return 0 }
        guard errno == EINPROGRESS else { return errno }
        var watched = [WatchedDescriptor(descriptor, read: false, write: true)]
        guard let count = try? waitForEvents(&watched, timeout: timeout), count > 0 else { return ETIMEDOUT }
        return StreamSocket.pendingError(of: descriptor)
    }
}
