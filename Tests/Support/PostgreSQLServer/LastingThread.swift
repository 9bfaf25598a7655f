import Foundation
import Synchronization

/// A thread that ends with the process.
final class LastingThread: Sendable {
    static let shared = LastingThread()

    private let work = Mutex<[@Sendable () -> Void]>([])
    private let arrived = DispatchSemaphore(value: 0)

    private init() {
        Thread.detachNewThread { [self] in
            while true {
                arrived.wait()
                work.withLock { $0.removeFirst() }()
            }
        }
    }

    /// Runs `body` on it, and waits.
    func run<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) throws -> Value {
        let outcome = Outcome<Value>()
        work.withLock { $0.append { outcome.set(Result { try body() }) } }
        arrived.signal()
        return try outcome.await().get()
    }
}

private final class Outcome<Value: Sendable>: Sendable {
    private let result = Mutex<Result<Value, any Error>?>(nil)
    private let isThere = DispatchSemaphore(value: 0)

    func set(_ result: Result<Value, any Error>) {
        self.result.withLock { $0 = result }
        isThere.signal()
    }

    func await() -> Result<Value, any Error> {
        isThere.wait()
        guard let result = result.withLock({ $0 }) else { preconditionFailure("it was set") }
        return result
    }
}
