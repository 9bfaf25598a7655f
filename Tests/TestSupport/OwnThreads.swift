import Foundation
import Testing

/// Threads for tests that wait: for brokers, child processes, sockets.
///
/// All other tests share as many threads as there are processors. A test that blocks one of them leaves a processor idle,
/// and one that awaits something goes on only behind all tests that have begun meanwhile. Of a child that has ended that
/// is dear: as long as nobody asks for its status, the thread on which Swift Testing watches children asks without a pause.
private final class OwnThreads: TaskExecutor, @unchecked Sendable {
    static let shared = OwnThreads()

    /// What is yet to be run, the next one last.
    private var waiting: [UnownedJob] = []
    /// What came since `waiting` was filled, the next one first.
    private var arrived: [UnownedJob] = []
    private let condition = NSCondition()

    private init() {
        // They end with the process.
        for _ in 0..<6 { Thread.detachNewThread { [self] in while true { runNext() } } }
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        condition.withLock {
            arrived.append(job)
            condition.signal()
        }
    }

    private func runNext() {
        condition.lock()
        while waiting.isEmpty {
            // Another thread may have filled it meanwhile: then what it holds must stay.
            guard !arrived.isEmpty else {
                condition.wait()
                continue
            }
            waiting = arrived.reversed()
            arrived = []
        }
        let job = waiting.removeLast()
        condition.unlock()
        unsafe job.runSynchronously(on: asUnownedTaskExecutor())
    }
}

/// The tests run on threads of their own.
package struct OwnThreadsTrait: SuiteTrait, TestTrait, TestScoping {
    package var isRecursive: Bool { true }

    package func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        try await withTaskExecutorPreference(OwnThreads.shared) { try await function() }
    }
}

extension Trait where Self == OwnThreadsTrait {
    /// For tests that wait for brokers, child processes or sockets.
    package static var ownThreads: Self { OwnThreadsTrait() }
}
