/// The system calls of loops, each retried when a signal interrupts it.
enum Syscalls {
    /// `poll`, for at most `milliseconds` (-1: without end) altogether.
    static func wait(_ entries: UnsafeMutableBufferPointer<pollfd>, milliseconds: Int32) throws(SystemError) -> Int {
        let deadline = milliseconds < 0 ? nil : ContinuousClock.now.advanced(by: .milliseconds(milliseconds))
        var remaining = milliseconds
        while true {
            let count = unsafe poll(entries.baseAddress, nfds_t(entries.count), remaining)
            if count >= 0 { return Int(count) }
            guard errno == EINTR else { throw SystemError(call: "poll", errno: errno) }
            if let deadline { remaining = (deadline - .now).wholeMilliseconds }
        }
    }

    /// `write` of one byte. A full pipe wakes its reader anyway.
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

    /// `setpriority`: the calling thread gives way to others. Failures are ignored.
    static func lowerPriority() {
        // On Linux the priority is a thread's (`sched(7)`); elsewhere it would be the whole process's.
        #if canImport(Glibc)
            setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 10)
        #elseif canImport(Musl)
            setpriority(PRIO_PROCESS, 0, 10)
        #endif
    }

    /// Takes memory in pieces that the allocator keeps in the thread's own heap, and frees it.
    static func touchHeap(bytes: Int) {
        let piece = 65_536
        let pieces = unsafe (0..<(bytes / piece)).map { _ in unsafe malloc(piece) }
        // The last one first: the heap ends there, and gives it back.
        unsafe pieces.reversed().forEach { unsafe free($0) }
    }

    /// Names the calling thread for debuggers. Failures are ignored.
    static func nameThread(_ name: String) {
        #if canImport(Darwin)
            // `pthread_setname_np`
            unsafe pthread_setname_np(name)
        #else
            // `open`, `write` and `close` on the thread's own `comm` file.
            let descriptor = unsafe open("/proc/thread-self/comm", O_WRONLY | O_CLOEXEC)
            guard descriptor >= 0 else { return }
            _ = unsafe write(descriptor, name, name.utf8.count)
            close(descriptor)
        #endif
    }
}

extension Duration {
    /// Rounded up, so that the wait does not end early, and within the range of `poll`. Never negative.
    var wholeMilliseconds: Int32 {
        guard self > .zero else { return 0 }
        guard self < .milliseconds(Int32.max) else { return .max }
        let (seconds, attoseconds) = components
        return Int32(seconds * 1000 + (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000)
    }
}
