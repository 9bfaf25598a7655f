import ParleyProtocol
import ParleyStore

extension Publisher {
    /// Unacknowledged events of earlier processes, read from the store in parts.
    struct Backlog: Sendable {
        /// The last that was read; at first, the last that the broker has acknowledged.
        private(set) var position: StreamPosition
        let end: StreamPosition

        private static let step = 256

        var isEmpty: Bool { position >= end }

        /// To be read before the first commit, or new events would be published twice.
        init(in store: Store) throws(StoreError) {
            (position, end) = try store.read { (try $0.outbox.publishedThrough(), try $0.outbox.lastPosition()) }
        }

        /// The next part.
        ///
        /// - Returns: with how far it goes.
        func next(in store: Store) throws(StoreError) -> (Outgoing, StreamPosition) {
            try store.read { snapshot in
                let events = try snapshot.outbox.unpublished(after: position, limit: Backlog.step)
                var outgoing = Outgoing()
                for event in events where event.position <= end { outgoing.add(event) }
                outgoing.fillUnreadCounts(try snapshot.unread.counts(outgoing.unreadScopes))
                return (outgoing, events.last?.position ?? end)
            }
        }

        mutating func advance(to position: StreamPosition) { self.position = position }
    }
}

extension Outgoing {
    /// Adds an event that was committed by an earlier process.
    mutating func add(_ event: UnpublishedEvent) {
        switch event {
        case .record(let position, let record): announce(record, position: position)
        case .event(let position, let topic, let payload, let retain, let unread):
            raw(topic: topic, payload: payload, position: position, retain: retain, unread: unread)
        }
    }
}
