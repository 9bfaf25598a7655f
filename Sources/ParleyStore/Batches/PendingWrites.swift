import ParleyProtocol
import ParleyRules

/// What a batch is going to write of the frequent kinds, gathered while it is decided and written at once.
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
    private(set) var watermarks: [WatermarkWrite] = []
    private(set) var presences: [UserID: Presence] = [:]
    private(set) var pushEvents: [PushEvent] = []
    /// Conversations whose log has grown, as they are at the end of it.
    private(set) var logs: [ConversationID: ConversationState] = [:]

    package init() {}

    package var isEmpty: Bool {
        records.isEmpty && events.isEmpty && watermarks.isEmpty && presences.isEmpty && pushEvents.isEmpty
            && logs.isEmpty
    }

    /// A record to be appended to its conversation's log.
    ///
    /// - Parameters:
    ///   - digest: what the request was that made it, 16 bytes.
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

    /// An event that has no record, to be stored until the broker has acknowledged it.
    package mutating func append(
        position: StreamPosition, topic: ArraySlice<UInt8>, payload: ArraySlice<UInt8>, retain: Bool,
        unread: PendingUnread? = nil
    ) {
        events.append(
            Event(position: position, topic: Array(topic), payload: Array(payload), retain: retain, unread: unread))
    }

    /// Something of which somebody may be to be notified.
    package mutating func append(_ event: PushEvent) { pushEvents.append(event) }

    /// Watermarks of a device's user, as decided.
    package mutating func advance(
        _ advance: ReceiptRule.Advance, of reader: DeviceAddress, in conversation: ConversationKey
    ) {
        watermarks.append(WatermarkWrite(advance: advance, reader: reader, conversation: conversation))
    }

    /// The presence that a user has now.
    package mutating func put(_ presence: Presence, of user: UserID) { presences[user] = presence }

    /// How far a conversation's log has come; replaces what was set before.
    package mutating func setLog(_ conversation: ConversationState) { logs[conversation.facts.id] = conversation }

    /// Replaces a conversation that has changed in another way, if its log is to be written.
    package mutating func replaceLog(_ conversation: ConversationState) {
        if logs[conversation.facts.id] != nil { setLog(conversation) }
    }
}

extension WriteTransaction {
    /// Writes everything that is pending: the one writing of a batch's decisions, which refuses nothing.
    ///
    /// - Returns: the conversations whose log was written, as they are stored now.
    package func apply(_ writes: PendingWrites) throws(StoreError) -> [ConversationState] {
        try records.insert(writes.records)
        try receipts.advance(writes.watermarks)
        try presence.save(writes.presences)
        try outbox.insert(writes.events)
        try pushEvents.insert(writes.pushEvents)
        return try conversations.updateLogs(Array(writes.logs.values))
    }
}
