import Dispatch

/// Runs what blocks on files on threads of its own, so that neither the client nor other tasks wait for a disk.
final class FileExecutor: TaskExecutor {
    private static let shared = FileExecutor()
    private let queue = DispatchQueue(label: "parley-files", attributes: .concurrent)

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { unsafe job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }

    /// Runs `body`, which ends early where it asks whether its task is cancelled.
    static func run<Value: Sendable>(_ body: @Sendable () throws -> Value) async throws -> Value {
        try await withTaskExecutorPreference(shared) { try body() }
    }
}
