/// Stream sockets that do not block and are closed on `exec`.
package enum StreamSocket {
    /// `socket`
    ///
    /// - Parameter family: such as `AF_INET`.
    package static func make(family: Int32) throws(SystemError) -> Int32 {
        let descriptor = socket(family, type, 0)
        guard descriptor >= 0 else { throw SystemError(call: "socket", errno: errno) }
        prepare(descriptor)
        return descriptor
    }

    /// `socketpair`: two ends that are connected with each other.
    package static func pair() throws(SystemError) -> (Int32, Int32) {
        var ends: (Int32, Int32) = (-1, -1)
        let code = unsafe withUnsafeMutableBytes(of: &ends) { bytes in
            unsafe socketpair(AF_UNIX, type, 0, bytes.assumingMemoryBound(to: Int32.self).baseAddress)
        }
        guard code == 0 else { throw SystemError(call: "socketpair", errno: errno) }
        prepare(ends.0)
        prepare(ends.1)
        return ends
    }

    /// `getsockopt` with `SO_ERROR`: the error of a connection attempt; 0 for success, and before its end.
    package static func pendingError(of descriptor: Int32) -> Int32 {
        var (code, length): (Int32, socklen_t) = (0, socklen_t(MemoryLayout<Int32>.size))
        guard unsafe getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &length) == 0 else { return errno }
        return code
    }

    /// The `ai_socktype` of stream addresses.
    package static var addressType: Int32 {
        #if canImport(Glibc)
            Int32(SOCK_STREAM.rawValue)
        #else
            SOCK_STREAM
        #endif
    }

    /// `send` without a signal if nobody receives the bytes any more.
    ///
    /// - Returns: whether all were taken.
    package static func sendAtOnce(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
        unsafe bytes.withUnsafeBytes { buffer in
            unsafe send(descriptor, buffer.baseAddress, buffer.count, sendFlags) == buffer.count
        }
    }

    /// Of `send`: no signal if nobody receives the bytes.
    static var sendFlags: Int32 {
        #if canImport(Darwin)
            0
        #else
            Int32(MSG_NOSIGNAL)
        #endif
    }

    private static var type: Int32 {
        #if canImport(Glibc)
            Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        #elseif canImport(Darwin)
            SOCK_STREAM
        #else
            SOCK_STREAM | Int32(SOCK_NONBLOCK) | Int32(SOCK_CLOEXEC)
        #endif
    }

    /// The options that a socket's type cannot express on every system (`fcntl`, `SO_NOSIGPIPE`).
    private static func prepare(_ descriptor: Int32) {
        #if canImport(Darwin)
            _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
            _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
            var isOn: Int32 = 1
            unsafe setsockopt(
                descriptor, SOL_SOCKET, SO_NOSIGPIPE, &isOn, socklen_t(MemoryLayout.size(ofValue: isOn)))
        #endif
    }
}
