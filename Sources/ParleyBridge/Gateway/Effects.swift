import MQTTClient
import ParleyProtocol
import ParleyStore

/// The publishes of a transaction for after its COMMIT, and its pending writes.
struct Effects {
    var outgoing = Outgoing()
    /// Changes of audiences, in the order of the writes; they go before all events.
    var audience: [AudienceChange] = []
    /// Whether replies wait for changes of other cells. Who has come to a position of this cell's has come past all
    /// that was committed before it.
    var isFenced = false
    var writes = PendingWrites()
    /// Typing among what is published, which other cells are told of.
    var typing: [TypingIndicator] = []
    /// The last position that was assigned.
    private var lastPosition: StreamPosition?

    /// Assigns the next position.
    mutating func nextPosition(_ transaction: WriteTransaction) throws(StoreError) -> StreamPosition {
        let next: StreamPosition
        if let lastPosition {
            next = try lastPosition.next()
        } else {
            next = try transaction.facts.outbox.lastPosition().next()
        }
        lastPosition = next
        return next
    }

    /// Publishes an event that has no record: it is in the outbox until the broker has acknowledged it.
    ///
    /// - Parameter unread: the number of unread messages that the payload leaves room for.
    /// - Returns: the position of the event.
    @discardableResult
    mutating func event(
        _ topic: Topic, retain: Bool = false, unread: UnreadScope? = nil, _ transaction: WriteTransaction,
        _ payload: (inout JSONWriter) -> Void
    ) throws(StoreError) -> StreamPosition {
        let position = try nextPosition(transaction)
        let item = outgoing.event(topic, position: position, retain: retain, unread: unread, payload)
        writes.append(
            position: position, topic: outgoing.bytes[item.message.topic],
            payload: outgoing.bytes[item.message.payload], retain: retain, unread: item.unread)
        return position
    }

    /// Makes the changes of audiences events of the stream, by which this gateway and its neighbours come to know them.
    mutating func shareAudience(_ transaction: WriteTransaction) throws(StoreError) {
        for change in audience {
            for message in AudienceCodec.messages(for: [change.withoutState]) {
                writes.append(position: try nextPosition(transaction), audience: message)
            }
        }
        if audience.isEmpty, isFenced {
            writes.append(position: try nextPosition(transaction), audience: AudienceCodec.noChanges)
        }
        audience = []
    }

    /// Removes the pending writes; `nil` if there are none.
    mutating func drainWrites() -> PendingWrites? {
        guard !writes.isEmpty else { return nil }
        defer { writes = PendingWrites() }
        return writes
    }

    /// Writes the pending writes of a transaction without a batch.
    mutating func write(in transaction: WriteTransaction) throws(StoreError) {
        if let writes = drainWrites() { _ = try transaction.apply(writes) }
    }

    /// Appends the effects of another transaction.
    mutating func append(_ other: Effects) {
        outgoing.append(other.outgoing)
        audience += other.audience
        typing += other.typing
        lastPosition = other.lastPosition ?? lastPosition
    }
}
