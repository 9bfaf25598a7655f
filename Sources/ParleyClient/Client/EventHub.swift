import Synchronization

/// Distributes a client's events to its listeners.
///
/// No listener delays another: a slow one misses events, and ``ClientEvent/missed(_:)`` says how many.
final class EventHub: Sendable {
    private struct Listener {
        /// Whether the event had room.
        let yield: @Sendable (ClientEvent) -> Bool
        let finish: @Sendable () -> Void
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
    func listen() -> AsyncStream<ClientEvent> { listen { $0 }.elements }

    /// A stream of what the events from now on are for one listener.
    ///
    /// - Parameter element: `nil` for an event that does not concern it.
    func listen<Element: Sendable>(
        as element: @escaping @Sendable (ClientEvent) -> Element?
    ) -> (elements: AsyncStream<Element>, continuation: AsyncStream<Element>.Continuation) {
        let (elements, continuation) = AsyncStream<Element>.makeStream(bufferingPolicy: .bufferingOldest(capacity))
        let listener = Listener(
            yield: { event in
                guard let element = element(event), case .dropped = continuation.yield(element) else { return true }
                return false
            }, finish: { continuation.finish() })
        let number = state.withLock { state in
            guard !state.isFinished else { return nil as Int? }
            state.next += 1
            state.listeners[state.next] = listener
            return state.next
        }
        guard let number else {
            continuation.finish()
            return (elements, continuation)
        }
        continuation.onTermination = { [weak self] _ in self?.forget(number) }
        return (elements, continuation)
    }

    /// Called on the client's actor only.
    func emit(_ event: ClientEvent) {
        // Yielded outside the lock: it takes the listening task's own lock, whose holder may wait for this one in
        // `forget` while it cancels the task.
        for (number, listener) in state.withLock(\.listeners) {
            var missed = listener.missed
            if missed > 0, listener.yield(.missed(missed)) { missed = 0 }
            if !listener.yield(event) { missed += 1 }
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
        for listener in listeners.values { listener.finish() }
    }

    var listenerCount: Int { state.withLock(\.listeners.count) }

    private func forget(_ number: Int) { _ = state.withLock { $0.listeners.removeValue(forKey: number) } }
}
