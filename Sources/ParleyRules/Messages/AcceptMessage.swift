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
        public let keyedDevices: [KeyedDevice]
        /// What is between the two of a direct conversation; `nil` in a group.
        public let relationship: Relationship?
        /// How long after the end of a friendship there is no new message request.
        public let requestRenewal: Duration

        public init(
            conversation: ConversationFacts?, existing: ExistingRecord?, digest: [UInt8], knowsReplyTarget: Bool,
            keyedDevices: [KeyedDevice], relationship: Relationship? = nil, requestRenewal: Duration = .zero
        ) {
            self.conversation = conversation
            self.existing = existing
            self.digest = digest
            self.knowsReplyTarget = knowsReplyTarget
            self.keyedDevices = keyedDevices
            self.relationship = relationship
            self.requestRenewal = requestRenewal
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
        /// Append this record, which was written under this permission: `nil` in a group, whose members may write.
        case append(MessageRecord, MessagingPermission?)
        /// Nothing is done; the first reply is given again.
        case repeated(SentMessage)
    }

    /// - Parameter steady: the steady time; without it, `now`.
    public static func decide(
        _ message: SendMessage, sender: DeviceAddress, facts: Facts, now: Timestamp, steady: Timestamp? = nil
    ) throws(Rejection) -> Decision {
        guard let conversation = facts.conversation, conversation.member(sender.user) != nil else {
            throw .conversationNotFound
        }
        // Before whatever may have changed since the first time: a repeat gets the first reply.
        if let existing = facts.existing, existing.conversation == conversation.id, existing.digest == facts.digest {
            return .repeated(
                SentMessage(
                    id: message.id, epoch: conversation.epoch, seq: existing.seq, createdAt: existing.createdAt))
        }
        guard facts.isAddressable(by: sender.user) else { throw .conversationNotFound }
        guard facts.existing == nil else { throw .idTaken }
        // Before anything that depends on the conversation: who was blocked gets the same answer as a stranger whose request
        // is spent.
        let permission = facts.relationship?.permission(of: sender.user, now: now, renewal: facts.requestRenewal)
        if let rejection = permission?.rejection { throw rejection }
        guard facts.knowsReplyTarget else { throw .messageNotFound }
        try message.sealed.checkRecipients(facts.keyedDevices)
        return .append(
            MessageRecord(
                message, sender: sender, epoch: conversation.epoch, seq: try conversation.nextSeq(),
                createdAt: conversation.nextCreation(now), steady: steady ?? now), permission)
    }
}

extension AcceptMessage.Facts {
    /// Whether the conversation is the member's own, or they have a message request in it.
    fileprivate func isAddressable(by user: UserID) -> Bool {
        relationship?.isAddressable(by: user) ?? (conversation?.member(user)?.isOpen == true)
    }
}
