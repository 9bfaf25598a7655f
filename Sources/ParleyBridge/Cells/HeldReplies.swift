import ParleyStore

/// Replies to changes of audiences, until these are in force in every cell: after the reply nobody hears more.
final class HeldReplies: Sendable {
    private let waiting = Monitor<[(position: StreamPosition, replies: Outgoing)]>([])

    /// - Parameter position: of the change, in this cell's stream.
    func add(_ replies: Outgoing, until position: StreamPosition) {
        waiting.withLock { $0.append((position, replies)) }
    }

    var isEmpty: Bool { waiting.withLock { $0.isEmpty } }

    /// Removes those whose changes are in force up to a position, in order.
    func release(through position: StreamPosition) -> [Outgoing] {
        waiting.withLock { waiting in
            let ready = waiting.prefix { $0.position <= position }
            waiting.removeFirst(ready.count)
            return ready.map(\.replies)
        }
    }
}
