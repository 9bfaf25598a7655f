import Synchronization

/// Distributes a client's events to its listeners.
///
/// No listener delays another: a slow one misses events, and ``ClientEvent/missed(_:)`` says how many.
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

    /// - Parameter capacity: the events that may wait for each listener.
    init(capacity: Int) { self.capacity = max(capacity, 1) }

    /// A stream of the events from now on.
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

    /// Called on the client's actor only.
    func emit(_ event: ClientEvent) {
        // Yielded outside the lock: it takes the listening task's own lock, whose holder may wait for this one in
        // `forget` while it cancels the task.
        for (number, listener) in state.withLock(\.listeners) {
            var missed = listener.missed
            if missed > 0, case .enqueued = listener.continuation.yield(.missed(missed)) { missed = 0 }
            if case .dropped = listener.continuation.yield(event) { missed += 1 }
            if missed != listener.missed { state.withLock { $0.listeners[number]?.missed = missed } }
        }
    }

    /// Ends every stream after its waiting events.
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
