import Foundation

/// State behind a lock, with a condition to wait for: what the gateway's few threads share.
///
/// Over `pthread` rather than `Synchronization.Mutex`, which has no condition and which ThreadSanitizer cannot see.
/// Sendable because the state is reached under the lock alone.
@safe final class Monitor<State>: @unchecked Sendable {
    private let condition = NSCondition()
    private var state: State

    init(_ state: sending State) { self.state = state }

    /// Changes the state and wakes whoever waits for it.
    func withLock<Result, Failure: Error>(_ body: (inout State) throws(Failure) -> Result) throws(Failure) -> Result {
        condition.lock()
        defer {
            condition.broadcast()
            condition.unlock()
        }
        return try body(&state)
    }

    /// Waits until `body` returns a value.
    func wait<Result>(_ body: (inout State) -> Result?) -> Result {
        condition.lock()
        defer {
            condition.broadcast()
            condition.unlock()
        }
        while true {
            if let result = body(&state) { return result }
            condition.wait()
        }
    }
}
