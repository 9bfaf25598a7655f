import Platform

/// The system calls on sockets of this machine.
package enum Socket {
    /// `socket` and `connect` to a port of the loopback interface, then TCP_NODELAY.
    ///
    /// - Parameter blocks: `false` sets O_NONBLOCK once it is connected.
    package static func connect(toLoopbackPort port: UInt16, blocks: Bool = false) throws(SystemError) -> Int32 {
        let descriptor = try make(AF_INET)
        try check("connect", descriptor, unsafe withLoopback(port) { unsafe Platform.connect(descriptor, $0, $1) })
        set(Int32(IPPROTO_TCP), TCP_NODELAY, on: descriptor)
        if !blocks { doNotBlock(descriptor) }
        return descriptor
    }

    /// `socket` and `connect` to a Unix socket; it blocks.
    package static func connect(toUnixSocket path: String) throws(SystemError) -> Int32 {
        let descriptor = try make(AF_UNIX)
        try check("connect", descriptor, unsafe withUnixSocket(path) { unsafe Platform.connect(descriptor, $0, $1) })
        return descriptor
    }

    /// `socket` and `bind` to a port of the loopback interface.
    ///
    /// - Parameter port: 0 for any that is free.
    package static func bind(toLoopbackPort port: UInt16) throws(SystemError) -> (descriptor: Int32, port: UInt16) {
        let descriptor = try make(AF_INET)
        // One that was listened on until now is free, but for connections that linger.
        set(SOL_SOCKET, SO_REUSEADDR, on: descriptor)
        var bound = sockaddr_in()
        let code = unsafe withLoopback(port) { address, length in
            guard unsafe Platform.bind(descriptor, address, length) == 0 else { return -1 }
            var length = length
            return unsafe withUnsafeMutablePointer(to: &bound) { pointer in
                unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    unsafe getsockname(descriptor, $0, &length)
                }
            }
        }
        try check("bind", descriptor, code)
        return (descriptor, UInt16(bigEndian: bound.sin_port))
    }

    /// Listens on a port of the loopback interface and never blocks; with 0, on any that is free.
    package static func listen(onLoopbackPort port: UInt16) throws(SystemError) -> (descriptor: Int32, port: UInt16) {
        let (descriptor, port) = try bind(toLoopbackPort: port)
        try check("listen", descriptor, Platform.listen(descriptor, 64))
        doNotBlock(descriptor)
        return (descriptor, port)
    }

    /// Listens on a Unix socket, where accepting blocks.
    package static func listen(onUnixSocket path: String) throws(SystemError) -> Int32 {
        let descriptor = try make(AF_UNIX)
        try check("bind", descriptor, unsafe withUnixSocket(path) { unsafe Platform.bind(descriptor, $0, $1) })
        try check("listen", descriptor, Platform.listen(descriptor, 64))
        return descriptor
    }

    /// `accept` of a connection that is not to block; `nil` where nobody waits to be let in.
    package static func accept(_ listener: Int32) -> Int32? {
        let descriptor = Platform.accept(listener, nil, nil)
        guard descriptor >= 0 else { return nil }
        doNotBlock(descriptor)
        // Replies are small, and somebody waits for each.
        set(Int32(IPPROTO_TCP), TCP_NODELAY, on: descriptor)
        return descriptor
    }

    /// `recv` into `bytes` from `offset` on; the count, 0 for nothing now.
    package static func receive(
        _ descriptor: Int32, into bytes: inout [UInt8], at offset: Int
    ) throws(SystemError) -> Int {
        let room = bytes.count - offset
        let count = unsafe bytes.withUnsafeMutableBytes { buffer in
            unsafe recv(descriptor, buffer.baseAddress?.advanced(by: offset), room, 0)
        }
        if count > 0 { return count }
        if count < 0, errno == EAGAIN || errno == EINTR { return 0 }
        throw SystemError(call: "recv", errno: count == 0 ? ECONNRESET : errno)
    }

    /// `send` of `bytes` from `offset` on; how many were taken.
    package static func send(
        _ descriptor: Int32, _ bytes: borrowing [UInt8], from offset: Int
    ) throws(SystemError) -> Int {
        let count = unsafe bytes.withUnsafeBytes { buffer in
            unsafe Platform.send(
                descriptor, buffer.baseAddress?.advanced(by: offset), buffer.count - offset, Int32(MSG_NOSIGNAL))
        }
        if count >= 0 { return count }
        if errno == EAGAIN || errno == EINTR { return 0 }
        throw SystemError(call: "send", errno: errno)
    }

    /// `poll` until one of the entries is ready or the time is over; how many are ready.
    ///
    /// `poll` counts milliseconds. A shorter wait is ended by `setitimer`, whose signal interrupts it.
    package static func poll(_ entries: inout [pollfd], nanoseconds: Int64) throws(SystemError) -> Int {
        if (shortestAlarm..<longestAlarm).contains(nanoseconds) {
            signal(SIGALRM) { _ in }
            var alarm = itimerval()
            alarm.it_value.tv_usec = Int(nanoseconds / 1000)
            unsafe setitimer(__itimer_which_t(ITIMER_REAL.rawValue), &alarm, nil)
        }
        let milliseconds = nanoseconds < shortestAlarm ? 0 : Int32(clamping: (nanoseconds + 999_999) / 1_000_000)
        return try poll(&entries, milliseconds: milliseconds)
    }

    /// `poll` until one of the entries is ready or the time is over; how many are ready.
    package static func poll(_ entries: inout [pollfd], milliseconds: Int32) throws(SystemError) -> Int {
        let count = unsafe entries.withUnsafeMutableBufferPointer { buffer in
            unsafe Platform.poll(buffer.baseAddress, nfds_t(buffer.count), milliseconds)
        }
        if count >= 0 { return Int(count) }
        guard errno == EINTR else { throw SystemError(call: "poll", errno: errno) }
        return 0
    }

    /// In nanoseconds. A shorter wait might miss its signal, which comes before `poll` has begun.
    private static let shortestAlarm: Int64 = 20_000
    private static let longestAlarm: Int64 = 10_000_000

    package static func close(_ descriptor: Int32) { _ = Platform.close(descriptor) }
}

// MARK: Addresses

extension Socket {
    private static func make(_ family: Int32) throws(SystemError) -> Int32 {
        let descriptor = socket(family, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw SystemError(call: "socket", errno: errno) }
        return descriptor
    }

    /// Closes the socket on which a call has failed.
    private static func check(_ call: String, _ descriptor: Int32, _ code: Int32) throws(SystemError) {
        guard code != 0 else { return }
        let error = SystemError(call: call, errno: errno)
        close(descriptor)
        throw error
    }

    private static func doNotBlock(_ descriptor: Int32) {
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    }

    private static func set(_ level: Int32, _ option: Int32, on descriptor: Int32) {
        var one: Int32 = 1
        unsafe setsockopt(descriptor, level, option, &one, socklen_t(MemoryLayout<Int32>.size))
    }

    private static func withLoopback(
        _ port: UInt16, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) -> Int32 {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return unsafe withAddress(&address, body)
    }

    private static func withUnixSocket(
        _ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) -> Int32 {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        guard path.utf8.count < MemoryLayout.size(ofValue: address.sun_path) else {
            errno = ENAMETOOLONG
            return -1
        }
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: path.utf8) }
        return unsafe withAddress(&address, body)
    }

    private static func withAddress<Address>(
        _ address: inout Address, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) -> Int32 {
        unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe body($0, socklen_t(MemoryLayout<Address>.size))
            }
        }
    }
}
