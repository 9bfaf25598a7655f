import ParleyProtocol
import ParleyRules

/// The frequent writes of a batch, gathered while it is decided and written at once.
package struct PendingWrites: Sendable {
    struct Record: Sendable {
        let record: MessageRecord
        let conversation: ConversationKey
        let position: StreamPosition
        let digest: [UInt8]
        let isWithheld: Bool
    }

    struct Event: Sendable {
        let position: StreamPosition
        let topic: [UInt8]
        let payload: [UInt8]
        let retain: Bool
        let unread: PendingUnread?
    }

    private(set) var records: [Record] = []
    private(set) var events: [Event] = []
    /// Changes of audiences, for neighbours.
    private(set) var audience: [(position: StreamPosition, change: [UInt8])] = []
    private(set) var watermarks: [WatermarkWrite] = []
    private(set) var presences: [UserID: Presence] = [:]
    private(set) var pushEvents: [PushEvent] = []
    /// Conversations whose log has grown.
    private(set) var logs: [ConversationID: ConversationState] = [:]

    package init() {}

    package var isEmpty: Bool {
        records.isEmpty && events.isEmpty && audience.isEmpty && watermarks.isEmpty && presences.isEmpty
            && pushEvents.isEmpty
            && logs.isEmpty
    }

    /// - Parameters:
    ///   - digest: of the request, 16 bytes.
    ///   - isWithheld: whether it is shown to its sender alone.
    package mutating func append(
        _ record: MessageRecord, to conversation: ConversationKey, position: StreamPosition, digest: [UInt8],
        isWithheld: Bool
    ) {
        records.append(
            Record(
                record: record, conversation: conversation, position: position, digest: digest,
                isWithheld: isWithheld))
    }

    /// An event without a record, which is stored until the broker has acknowledged it.
    package mutating func append(
        position: StreamPosition, topic: ArraySlice<UInt8>, payload: ArraySlice<UInt8>, retain: Bool,
        unread: PendingUnread? = nil
    ) {
        events.append(
            Event(position: position, topic: Array(topic), payload: Array(payload), retain: retain, unread: unread))
    }

    /// A change of an audience, as it is encoded, which neighbours are to apply.
    package mutating func append(position: StreamPosition, audience change: [UInt8]) {
        audience.append((position, change))
    }

    /// The last position that the writes have.
    var lastPosition: StreamPosition? {
        [records.last?.position, events.last?.position, audience.last?.position].compactMap { $0 }.max()
    }

    /// Something of which somebody may be to be notified.
    package mutating func append(_ event: PushEvent) { pushEvents.append(event) }

    package mutating func advance(
        _ advance: ReceiptRule.Advance, of reader: DeviceAddress, in conversation: ConversationKey
    ) {
        watermarks.append(WatermarkWrite(advance: advance, reader: reader, conversation: conversation))
    }

    package mutating func put(_ presence: Presence, of user: UserID) { presences[user] = presence }

    package mutating func setLog(_ conversation: ConversationState) { logs[conversation.facts.id] = conversation }

    /// Replaces a conversation that has changed in another way, if its log is pending.
    package mutating func replaceLog(_ conversation: ConversationState) {
        if logs[conversation.facts.id] != nil { setLog(conversation) }
    }
}

extension WriteTransaction {
    /// Writes everything that is pending, and refuses nothing.
    ///
    /// - Returns: the conversations whose log was written, as stored.
    package func apply(_ writes: PendingWrites) throws(StoreError) -> [ConversationState] {
        try records.insert(writes.records)
        try receipts.advance(writes.watermarks)
        try presence.save(writes.presences)
        try outbox.insert(writes.events)
        try outbox.end(with: writes)
        try pushEvents.insert(writes.pushEvents)
        return try conversations.updateLogs(Array(writes.logs.values))
    }
}
