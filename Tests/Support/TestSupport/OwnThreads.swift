import Foundation
import Synchronization
import Testing

/// Threads for tests that wait: for brokers, child processes, sockets.
///
/// All other tests share as many threads as there are processors. A test that blocks one of them leaves a processor
/// idle, and one that awaits something goes on only behind all tests that have begun meanwhile. Of a child that has
/// ended that is dear: as long as nobody asks for its status, the thread on which Swift Testing watches children asks
/// without a pause.
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

/// How many tests are on those threads at once: the others have not begun.
///
/// Without it all would begin, and each time one of them awaits something it would go on only behind hundreds of
/// others, some of which hold their thread for seconds.
private final class TestAdmission: Sendable {
    static let shared = TestAdmission(limit: 10)

    private struct State {
        var room: Int
        /// In the order in which they came.
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state: Mutex<State>

    private init(limit: Int) { state = Mutex(State(room: limit)) }

    func admit(_ body: () async throws -> Void) async throws {
        await withCheckedContinuation { continuation in
            let isAdmitted = state.withLock { state in
                guard state.room > 0 else {
                    state.waiting.append(continuation)
                    return false
                }
                state.room -= 1
                return true
            }
            if isAdmitted { continuation.resume() }
        }
        defer { leave() }
        try await body()
    }

    private func leave() {
        let next: CheckedContinuation<Void, Never>? = state.withLock { state in
            guard !state.waiting.isEmpty else {
                state.room += 1
                return nil
            }
            return state.waiting.removeFirst()
        }
        next?.resume()
    }
}

/// The tests run on threads of their own.
package struct OwnThreadsTrait: SuiteTrait, TestTrait, TestScoping {
    package var isRecursive: Bool { true }

    package func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        try await TestAdmission.shared.admit {
            try await withTaskExecutorPreference(OwnThreads.shared) { try await function() }
        }
    }
}

extension Trait where Self == OwnThreadsTrait {
    /// For tests that wait for brokers, child processes or sockets.
    package static var ownThreads: Self { OwnThreadsTrait() }
}

/// Starts something that goes on beside a test with `.ownThreads`, on the same threads.
///
/// Child tasks are there anyway. A `Task` without this is on the threads of all other tests (SE-0417), and goes on only
/// when one of these has nothing else to do.
package func taskOnOwnThreads<Value: Sendable>(
    _ body: sending @escaping () async throws -> Value
) -> Task<Value, any Error> {
    Task(executorPreference: OwnThreads.shared, operation: body)
}
