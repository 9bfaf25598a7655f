import ParleyProtocol

/// Decides `messages/edit`, `messages/delete` and `messages/react`: facts, a command and a time in, a decision out.
package enum ChangeMessageRule {
    package struct Facts: Sendable {
        /// The conversation named, whether the sender is in it or not.
        package let conversation: ConversationFacts?
        /// The record that has the change's id already.
        package let existing: SendMessageRule.ExistingRecord?
        /// The digest of the request's identity, 16 bytes.
        package let digest: [UInt8]
        /// The record that is to be changed, if it is in the conversation.
        package let target: Target?
        /// What the sender may do toward the other of a direct conversation; `nil` in a group, where members may.
        package let permission: MessagingPermission?
        /// The devices of all members that have published keys, the sending one left out; sorted.
        package let keyedDevices: [KeyedDevice]

        package init(
            conversation: ConversationFacts?, existing: SendMessageRule.ExistingRecord?, digest: [UInt8],
            target: Target?, permission: MessagingPermission?, keyedDevices: [KeyedDevice]
        ) {
            self.conversation = conversation
            self.existing = existing
            self.digest = digest
            self.target = target
            self.permission = permission
            self.keyedDevices = keyedDevices
        }
    }

    /// The record that is to be changed.
    package struct Target: Hashable, Sendable {
        package let seq: Int
        package let kind: RecordKind
        package let type: MessageType
        package let sender: UserID
        /// Whether its ciphertext is still there.
        package let hasContent: Bool
        /// When that disappears: as published, and by the steady time.
        package let expiresAt: Timestamp?
        package let disappearsAt: Timestamp?
        /// How often it was edited.
        package let edits: Int
        /// The record that has deleted it.
        package let deletion: Deletion?

        /// - Parameter disappearsAt: without it, the same as `expiresAt`.
        package init(
            seq: Int, kind: RecordKind, type: MessageType, sender: UserID, hasContent: Bool, expiresAt: Timestamp?,
            disappearsAt: Timestamp? = nil, edits: Int, deletion: Deletion?
        ) {
            self.seq = seq
            self.kind = kind
            self.type = type
            self.sender = sender
            self.hasContent = hasContent
            self.expiresAt = expiresAt
            self.disappearsAt = disappearsAt ?? expiresAt
            self.edits = edits
            self.deletion = deletion
        }
    }

    /// That a message was deleted.
    package struct Deletion: Hashable, Sendable {
        package let id: MessageID
        package let seq: Int
        package let createdAt: Timestamp

        package init(id: MessageID, seq: Int, createdAt: Timestamp) {
            (self.id, self.seq, self.createdAt) = (id, seq, createdAt)
        }
    }

    package enum Decision: Hashable, Sendable {
        /// Append this record. Of a deletion, the ciphertext of the message and of its edits goes with it.
        case append(MessageRecord)
        /// Nothing is done: the first reply is given again, or that of the deletion there is.
        case repeated(AcceptedChange)
    }

    /// - Throws: in this order: `not_found` for the conversation, `conflict`, `not_found` for the message,
    ///   `bad_request` for one that nobody changes, `forbidden`, `not_found` for the ciphertext, what the permission
    ///   says, `too_large` for one edit too many, `stale_devices`.
    /// - Parameter steady: the steady time; without it, `now`.
    package static func decide(
        _ change: ChangeMessage, sender: DeviceAddress, facts: Facts, now: Timestamp, steady: Timestamp? = nil
    ) throws(Rejection) -> Decision {
        let conversation = try ConversationFacts.visible(facts.conversation, to: sender.user)
        // Before whatever may have changed since the first time: a repeat gets the first reply.
        if let existing = facts.existing {
            guard existing.conversation == conversation.id, existing.digest == facts.digest else { throw .idTaken }
            return .repeated(
                AcceptedChange(
                    id: change.id, epoch: conversation.epoch, seq: existing.seq, createdAt: existing.createdAt))
        }
        let target = try target(facts.target, in: conversation, seenBy: sender.user)
        let (createdAt, steady) = (conversation.nextCreation(now), steady ?? now)
        switch change.change {
        case .edit(let sealed):
            guard target.sender == sender.user else { throw .notTheSender }
            try target.checkPresence(at: steady)
            try facts.permission?.check(.edit)
            guard target.edits < Limits.editsOfMessage else { throw .tooManyEdits }
            try sealed.checkRecipients(facts.keyedDevices)
        case .react(let sealed):
            try target.checkPresence(at: steady)
            try facts.permission?.check(.reaction)
            try sealed.checkRecipients(facts.keyedDevices)
        case .delete:
            // One's own may be deleted whatever has come between the two, and when it has disappeared.
            guard target.sender == sender.user else { throw .notTheSender }
            if let deletion = target.deletion {
                return .repeated(
                    AcceptedChange(
                        id: deletion.id, epoch: conversation.epoch, seq: deletion.seq, createdAt: deletion.createdAt))
            }
        }
        return .append(
            MessageRecord(
                change, of: target.type, expiresAt: target.expiresAt, disappearsAt: target.disappearsAt,
                sender: sender, epoch: conversation.epoch, seq: try conversation.nextSeq(), createdAt: createdAt))
    }

    /// A person's message that the user sees.
    private static func target(
        _ target: Target?, in conversation: ConversationFacts, seenBy user: UserID
    ) throws(Rejection) -> Target {
        guard let target, let member = conversation.member(user), target.seq > member.visibleFrom else {
            throw .messageNotFound
        }
        guard target.kind == .message, target.type != .system else { throw .notAMessage }
        return target
    }
}

extension ChangeMessageRule.Target {
    /// What has no ciphertext any more can neither be edited nor reacted to.
    fileprivate func checkPresence(at steady: Timestamp) throws(Rejection) {
        guard hasContent, disappearsAt.map({ $0 > steady }) ?? true else { throw .messageNotFound }
    }
}

extension MessagingPermission {
    /// - Throws: the rejection of a message. Whoever may write one message only is treated as if it were spent.
    fileprivate func check(_ action: Action) throws(Rejection) {
        guard !permits(action) else { return }
        throw rejection ?? .requestLimit
    }
}

extension Rejection {
    fileprivate static let notTheSender = Rejection(.forbidden, "Only its sender can do that to a message.")
    fileprivate static let notAMessage = Rejection(
        .badRequest, "message_id: it is a change to a message, or the gateway's own; these cannot be changed")
    fileprivate static let tooManyEdits = Rejection(
        .tooLarge, "A message can be edited \(Limits.editsOfMessage) times.")
}
