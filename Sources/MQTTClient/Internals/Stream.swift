import Platform

/// A TCP connection for the few bytes that libmosquitto has no call for.
@safe struct Stream: ~Copyable {
    let descriptor: Int32

    /// `getaddrinfo`, `socket` and `connect` to the first address that accepts.
    ///
    /// - Returns: `nil` if none does within `timeout`.
    init?(host: String, port: UInt16, timeout: Duration) {
        var hints = unsafe addrinfo()
        unsafe hints.ai_socktype = StreamSocket.addressType
        var list: UnsafeMutablePointer<addrinfo>?
        guard unsafe getaddrinfo(host, String(port), &hints, &list) == 0 else { return nil }
        defer { unsafe freeaddrinfo(list) }
        var next = unsafe list
        while let address = unsafe next {
            if let connected = unsafe Stream.connect(address.pointee, timeout) {
                descriptor = connected
                return
            }
            unsafe next = address.pointee.ai_next
        }
        return nil
    }

    deinit { Syscalls.close(descriptor) }

    private static func connect(_ address: addrinfo, _ timeout: Duration) -> Int32? {
        guard let descriptor = try? unsafe StreamSocket.make(family: address.ai_family) else { return nil }
        let code = unsafe Platform.connect(descriptor, address.ai_addr, address.ai_addrlen)
        var watched = [WatchedDescriptor(descriptor, read: false, write: true)]
        if code == 0 || errno == EINPROGRESS, (try? waitForEvents(&watched, timeout: timeout)) ?? 0 > 0,
            Syscalls.pendingError(of: descriptor) == 0
        {
            return descriptor
        }
        Syscalls.close(descriptor)
        return nil
    }

    /// `send` of a few bytes on a connection that has sent nothing yet.
    func send(_ bytes: [UInt8]) -> Bool { StreamSocket.sendAtOnce(bytes, to: descriptor) }
}
