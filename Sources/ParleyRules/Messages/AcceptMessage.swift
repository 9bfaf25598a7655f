import ParleyProtocol

/// Decides `messages/send`: facts, a command and a time in, a decision out.
public enum AcceptMessage {
    public struct Facts: Sendable {
        /// The conversation named, whether the sender is in it or not.
        public let conversation: ConversationFacts?
        /// The record that has this id already.
        public let existing: ExistingRecord?
        /// The digest of the request's identity, 16 bytes.
        public let digest: [UInt8]
        /// Whether the message replied to is in the conversation; `true` if none is named.
        public let knowsReplyTarget: Bool
        /// The devices of all members that have published keys, the sending one left out; sorted.
        public let keyedDevices: [DeviceAddress]

        public init(
            conversation: ConversationFacts?, existing: ExistingRecord?, digest: [UInt8], knowsReplyTarget: Bool,
            keyedDevices: [DeviceAddress]
        ) {
            self.conversation = conversation
            self.existing = existing
            self.digest = digest
            self.knowsReplyTarget = knowsReplyTarget
            self.keyedDevices = keyedDevices
        }
    }

    /// A record that has the same id.
    public struct ExistingRecord: Hashable, Sendable {
        public let conversation: ConversationID
        public let seq: Int
        public let createdAt: Timestamp
        public let digest: [UInt8]

        public init(conversation: ConversationID, seq: Int, createdAt: Timestamp, digest: [UInt8]) {
            self.conversation = conversation
            self.seq = seq
            self.createdAt = createdAt
            self.digest = digest
        }
    }

    public enum Decision: Hashable, Sendable {
        /// Append this record.
        case append(MessageRecord)
        /// Nothing is done; the first reply is given again.
        case repeated(SentMessage)
    }

    public static func decide(
        _ message: SendMessage, sender: DeviceAddress, facts: Facts, now: Timestamp
    ) throws(Rejection) -> Decision {
        let conversation = try ConversationFacts.visible(facts.conversation, to: sender.user)
        // Before whatever may have changed since the first time: a repeat gets the first reply.
        if let existing = facts.existing {
            guard existing.conversation == conversation.id, existing.digest == facts.digest else {
                throw .idTaken
            }
            return .repeated(
                SentMessage(
                    id: message.id, epoch: conversation.epoch, seq: existing.seq, createdAt: existing.createdAt))
        }
        guard facts.knowsReplyTarget else { throw .messageNotFound }
        try message.sealed.checkRecipients(facts.keyedDevices)
        return .append(
            MessageRecord(
                message, sender: sender, epoch: conversation.epoch, seq: try conversation.nextSeq(),
                createdAt: conversation.nextCreation(now)))
    }
}
