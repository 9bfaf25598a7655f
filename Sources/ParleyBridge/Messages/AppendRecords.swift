import ParleyProtocol
import ParleyRules
import ParleyStore

extension Writer {
    /// Appends a record to the log of its conversation, counts it for its sender and announces it.
    ///
    /// - Parameter digest: what the request was that made it, 16 bytes.
    func append(
        _ record: MessageRecord, to conversation: inout ConversationState, digest: [UInt8],
        _ transaction: WriteTransaction, _ effects: inout Effects
    ) throws {
        let position = try effects.nextPosition(transaction)
        let isWithheld = conversation.relationship?.isWithheld(of: record.sender.user) ?? false
        try transaction.insert(
            record, conversation: conversation.key, position: position, digest: digest, isWithheld: isWithheld)
        try charge(record.storageCost, to: record.sender.user, transaction.facts)
        conversation.facts.append(record, isWithheld: isWithheld)
        if isWithheld { try transaction.updateOwnEnd(of: record.sender.user, in: conversation) }
        noteGrown(conversation)
        noteExpiry(of: record)
        effects.outgoing.announce(record, position: position)
    }

    /// Appends what the gateway itself tells in a conversation: a record of the type `system`, by whoever caused it.
    func append(
        _ event: SystemEvent, about user: UserID?, by causer: DeviceAddress,
        to conversation: inout ConversationState, _ transaction: WriteTransaction, _ effects: inout Effects,
        now: Timestamp
    ) throws {
        let record = MessageRecord(
            SystemNotice(event, user: user, by: causer.user), id: .random(), conversation: conversation.facts.id,
            by: causer, epoch: conversation.facts.epoch, seq: try conversation.facts.nextSeq(),
            createdAt: conversation.facts.nextCreation(now))
        try append(record, to: &conversation, digest: SystemNotice.digest, transaction, &effects)
    }
}

extension SystemNotice {
    /// No request made it: whoever sends a message under its id is told that the id is taken.
    fileprivate static let digest = [UInt8](repeating: 0, count: 16)
}
