import Dispatch

/// Where a client's work is done: one after another on a thread of its own, because its database blocks.
final class ClientExecutor: SerialExecutor {
    private let queue = DispatchQueue(label: "parley-client")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { unsafe job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }
}
