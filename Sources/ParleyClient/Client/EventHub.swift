import Synchronization

/// Hands a client's events to everybody who listens, each as fast as they take them.
///
/// Nobody holds up another: who is slow misses events, and ``ClientEvent/missed(_:)`` says how many.
final class EventHub: Sendable {
    private struct Listener {
        let continuation: AsyncStream<ClientEvent>.Continuation
        var missed = 0
    }

    private struct State {
        var listeners: [Int: Listener] = [:]
        var next = 0
        var isFinished = false
    }

    private let state = Mutex(State())
    private let capacity: Int

    /// - Parameter capacity: how many events may wait to be taken by each listener.
    init(capacity: Int) { self.capacity = max(capacity, 1) }

    /// A stream of its own, of what happens from now on.
    func listen() -> AsyncStream<ClientEvent> {
        let (events, continuation) = AsyncStream<ClientEvent>.makeStream(bufferingPolicy: .bufferingOldest(capacity))
        let number = state.withLock { state in
            guard !state.isFinished else { return nil as Int? }
            state.next += 1
            state.listeners[state.next] = Listener(continuation: continuation)
            return state.next
        }
        guard let number else {
            continuation.finish()
            return events
        }
        continuation.onTermination = { [weak self] _ in self?.forget(number) }
        return events
    }

    /// Called by one at a time: the client's actor.
    func emit(_ event: ClientEvent) {
        // Handed over outside the lock: that resumes a task under the task's own lock, which is held by whoever cancels
        // the task, while `forget` waits for this one.
        for (number, listener) in state.withLock(\.listeners) {
            var missed = listener.missed
            if missed > 0, case .enqueued = listener.continuation.yield(.missed(missed)) { missed = 0 }
            if case .dropped = listener.continuation.yield(event) { missed += 1 }
            if missed != listener.missed { state.withLock { $0.listeners[number]?.missed = missed } }
        }
    }

    /// No more events: every stream ends when what it holds was taken.
    func finish() {
        let listeners = state.withLock { state in
            state.isFinished = true
            defer { state.listeners.removeAll() }
            return state.listeners
        }
        for listener in listeners.values { listener.continuation.finish() }
    }

    var listenerCount: Int { state.withLock(\.listeners.count) }

    private func forget(_ number: Int) { _ = state.withLock { $0.listeners.removeValue(forKey: number) } }
}
