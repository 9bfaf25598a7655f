import Platform

/// The system calls of the load generator, on loopback sockets that never block.
package enum Socket {
    /// `socket`, `connect` to a port of the loopback interface, then TCP_NODELAY and O_NONBLOCK.
    package static func connect(toLoopbackPort port: UInt16) throws -> Int32 {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw SocketError("socket") }
        var address = loopback(port)
        let code = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe Platform.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard code == 0 else {
            let fault = SocketError("connect")
            close(descriptor)
            throw fault
        }
        var one: Int32 = 1
        _ = unsafe setsockopt(
            descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(MemoryLayout<Int32>.size))
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
        return descriptor
    }

    /// `bind` to port 0 and `getsockname`: a port that nobody has now.
    package static func freePort() throws -> UInt16 {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw SocketError("socket") }
        defer { close(descriptor) }
        var address = loopback(0)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let code = unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
                let bound = unsafe bind(descriptor, generic, length)
                return bound == 0 ? unsafe getsockname(descriptor, generic, &length) : bound
            }
        }
        guard code == 0 else { throw SocketError("bind") }
        return UInt16(bigEndian: address.sin_port)
    }

    /// `recv` into `bytes` from `offset` on; the count, 0 for nothing now.
    package static func receive(_ descriptor: Int32, into bytes: inout [UInt8], at offset: Int) throws -> Int {
        let room = bytes.count - offset
        let count = unsafe bytes.withUnsafeMutableBytes { buffer in
            unsafe recv(descriptor, buffer.baseAddress?.advanced(by: offset), room, 0)
        }
        if count > 0 { return count }
        if count < 0, errno == EAGAIN || errno == EINTR { return 0 }
        throw count == 0 ? SocketError(call: "recv", errno: ECONNRESET) : SocketError("recv")
    }

    /// `send` of `bytes` from `offset` on; how many were taken.
    package static func send(_ descriptor: Int32, _ bytes: borrowing [UInt8], from offset: Int) throws -> Int {
        let count = unsafe bytes.withUnsafeBytes { buffer in
            unsafe Platform.send(
                descriptor, buffer.baseAddress?.advanced(by: offset), buffer.count - offset,
                Int32(MSG_NOSIGNAL))
        }
        if count >= 0 { return count }
        if errno == EAGAIN || errno == EINTR { return 0 }
        throw SocketError("send")
    }

    /// `poll` until one of the entries is ready or the time is over; how many are ready.
    ///
    /// `poll` counts milliseconds. A shorter wait is ended by `setitimer`, whose signal interrupts it.
    package static func poll(_ entries: inout [pollfd], nanoseconds: Int64) throws -> Int {
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
    package static func poll(_ entries: inout [pollfd], milliseconds: Int32) throws -> Int {
        let count = unsafe entries.withUnsafeMutableBufferPointer { buffer in
            unsafe Platform.poll(buffer.baseAddress, nfds_t(buffer.count), milliseconds)
        }
        if count >= 0 { return Int(count) }
        guard errno == EINTR else { throw SocketError("poll") }
        return 0
    }

    /// In nanoseconds. A shorter wait might miss its signal, which comes before `poll` has begun.
    private static let shortestAlarm: Int64 = 20_000
    private static let longestAlarm: Int64 = 10_000_000

    package static func close(_ descriptor: Int32) { _ = Platform.close(descriptor) }

    private static func loopback(_ port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return address
    }
}

/// A system call on a socket failed.
package struct SocketError: Error, CustomStringConvertible {
    package let call: String
    package let errno: Int32

    package init(call: String, errno: Int32) {
        self.call = call
        self.errno = errno
    }

    package init(_ call: String) { self.init(call: call, errno: Platform.errno) }

    package var description: String { "\(call): \(SystemError.reason(errno))" }
}
