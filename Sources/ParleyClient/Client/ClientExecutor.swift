import Dispatch

/// Runs a client's jobs one at a time on a queue of its own, because its database blocks.
final class ClientExecutor: SerialExecutor {
    private let queue = DispatchQueue(label: "parley-client")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { unsafe job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }
}
