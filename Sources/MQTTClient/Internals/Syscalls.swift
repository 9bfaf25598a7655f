import Glibc

/// The system calls that this module makes, each retried when a signal interrupts it.
enum Syscalls {
    /// `poll`, for at most `milliseconds` (-1: without end) altogether.
    static func poll(_ entries: UnsafeMutableBufferPointer<pollfd>, milliseconds: Int32) throws(SystemError) -> Int {
        let deadline = milliseconds < 0 ? nil : ContinuousClock.now.advanced(by: .milliseconds(milliseconds))
        var remaining = milliseconds
        while true {
            let count = unsafe Glibc.poll(entries.baseAddress, nfds_t(entries.count), remaining)
            if count >= 0 { return Int(count) }
            guard errno == EINTR else { throw SystemError(call: "poll", errno: errno) }
            if let deadline { remaining = (deadline - .now).wholeMilliseconds }
        }
    }

    /// `socketpair`, non-blocking and closed on exec, used as a pipe.
    static func pipe() throws(SystemError) -> (readEnd: Int32, writeEnd: Int32) {
        let type = SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue
        var ends: (Int32, Int32) = (-1, -1)
        let code = unsafe withUnsafeMutableBytes(of: &ends) { bytes in
            unsafe socketpair(AF_UNIX, Int32(type), 0, bytes.assumingMemoryBound(to: Int32.self).baseAddress)
        }
        guard code == 0 else { throw SystemError(call: "socketpair", errno: errno) }
        return (readEnd: ends.0, writeEnd: ends.1)
    }

    /// `write` of one byte. A full pipe already wakes whoever waits.
    static func writeByte(to descriptor: Int32) {
        var byte: UInt8 = 0
        while unsafe write(descriptor, &byte, 1) < 0 && errno == EINTR {}
    }

    /// `read` until the pipe is empty.
    static func drain(_ descriptor: Int32) {
        var bytes: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)
        while true {
            let count = unsafe read(descriptor, &bytes, MemoryLayout.size(ofValue: bytes))
            guard count == MemoryLayout.size(ofValue: bytes) || (count < 0 && errno == EINTR) else { return }
        }
    }

    /// `open`, `write` and `close` on the thread's own `comm` file. A name is worth no failure.
    static func nameThread(_ name: String) {
        let descriptor = unsafe open("/proc/thread-self/comm", O_WRONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        _ = unsafe write(descriptor, name, name.utf8.count)
        close(descriptor)
    }

    /// `close`. Not retried: on Linux the descriptor is gone even after EINTR.
    static func close(_ descriptor: Int32) {
        _ = Glibc.close(descriptor)
    }

    /// `getsockopt` with `SO_ERROR`: how a connection attempt ended, 0 if well or not yet.
    static func pendingError(of socket: Int32) -> Int32 {
        var value: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        guard unsafe getsockopt(socket, SOL_SOCKET, SO_ERROR, &value, &length) == 0 else { return errno }
        return value
    }

    /// What a socket has for its reader.
    enum Waiting: Equatable {
        case nothing
        case byte(UInt8)
        /// The peer has closed, and everything it sent has been read.
        case end
    }

    /// `recv` with `MSG_PEEK`: what the next read would begin with.
    static func peek(_ socket: Int32) -> Waiting {
        var byte: UInt8 = 0
        switch unsafe recv(socket, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT)) {
        case 1: return .byte(byte)
        case 0: return .end
        default: return .nothing
        }
    }
}

/// A system call failed.
package struct SystemError: Error, Hashable, Sendable {
    package let call: String
    package let errno: Int32
}

extension Duration {
    /// Rounded up, so that waiting that long does not end early, and within what `poll` takes. Never negative.
    var wholeMilliseconds: Int32 {
        guard self > .zero else { return 0 }
        guard self < .milliseconds(Int32.max) else { return .max }
        let (seconds, attoseconds) = components
        return Int32(seconds * 1000 + (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000)
    }
}
