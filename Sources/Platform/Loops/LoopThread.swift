/// Runs a synchronous loop on a thread of its own, so that it never holds one of the concurrency runtime's.
package enum LoopThread {
    /// Runs `body` on a new thread and returns its value.
    ///
    /// The thread ends with `body`. Cancelling the calling task does not end it: a ``StopFlag`` and a ``WakeUp`` do.
    ///
    /// - Parameter name: for debuggers and `top`; the kernel keeps 15 bytes.
    /// - Throws: the error of `body`, or ``SystemError`` if no thread can be made.
    package static func run<Value: Sendable>(
        name: String, body: @escaping @Sendable () throws -> Value
    ) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            do throws(SystemError) {
                try detach(name: name) { continuation.resume(with: Result(catching: body)) }
            } catch {
                continuation.resume(throwing: error)
            }
        }
    }

    /// Lets the calling thread give way to others where there are not processors enough, for work that may wait.
    package static func lowerPriority() { Syscalls.lowerPriority() }

    /// Lets the heap of the calling thread grow to 32 MiB without the kernel's leave for each page.
    ///
    /// glibc has it grow by `mprotect`, a page at a time, and for that the kernel needs the address space of the
    /// process for itself. Another thread that maps much memory at once, such as the 64 MiB of a password's hash, keeps
    /// it for tens of milliseconds. The memory is given back at once: later it comes page by page, as it is touched.
    package static func prepareHeap() { Syscalls.touchHeap(bytes: 32 << 20) }

    /// Runs `work` on a new thread that nobody waits for.
    ///
    /// - Throws: ``SystemError`` if no thread can be made.
    package static func detach(name: String, work: @escaping @Sendable () -> Void) throws(SystemError) {
        let context = unsafe Unmanaged.passRetained(ThreadWork(name: name, run: work))
        var attributes = pthread_attr_t()
        unsafe pthread_attr_init(&attributes)
        defer { unsafe pthread_attr_destroy(&attributes) }
        unsafe pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
        #if canImport(Darwin)
            var thread: pthread_t?
        #else
            var thread = pthread_t()
        #endif
        let code = unsafe pthread_create(
            &thread, &attributes,
            { context in
                #if !canImport(Darwin)
                    guard let context = unsafe context else { return nil }
                #endif
                let work = unsafe Unmanaged<ThreadWork>.fromOpaque(context).takeRetainedValue()
                Syscalls.nameThread(work.name)
                work.run()
                return nil
            }, context.toOpaque())
        guard code == 0 else {
            unsafe context.release()
            throw SystemError(call: "pthread_create", errno: code)
        }
    }
}

private final class ThreadWork {
    let name: String
    let run: @Sendable () -> Void

    init(name: String, run: @escaping @Sendable () -> Void) { (self.name, self.run) = (name, run) }
}
