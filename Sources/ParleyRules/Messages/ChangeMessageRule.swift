import ParleyProtocol

/// Decides `messages/edit`, `messages/delete` and `messages/react`.
package enum ChangeMessageRule {
    package struct Facts: Sendable {
        /// The named conversation, with or without the sender.
        package let conversation: ConversationFacts?
        /// The record with the change's id.
        package let existing: SendMessageRule.ExistingRecord?
        /// Of the request, 16 bytes.
        package let digest: [UInt8]
        /// The record to change, if it is in the conversation.
        package let target: Target?
        /// Of the sender toward the other of a direct conversation; `nil` in a group.
        package let permission: MessagingPermission?
        /// All members' devices with published keys but the sending one; sorted.
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

    package struct Target: Hashable, Sendable {
        package let seq: Int
        package let kind: RecordKind
        package let type: MessageType
        package let sender: UserID
        /// Whether its ciphertext exists.
        package let hasContent: Bool
        /// As published.
        package let expiresAt: Timestamp?
        /// By the steady time.
        package let disappearsAt: Timestamp?
        package let edits: Int
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

    package struct Deletion: Hashable, Sendable {
        package let id: MessageID
        package let seq: Int
        package let createdAt: Timestamp

        package init(id: MessageID, seq: Int, createdAt: Timestamp) {
            (self.id, self.seq, self.createdAt) = (id, seq, createdAt)
        }
    }

    package enum Decision: Hashable, Sendable {
        /// A deletion also removes the ciphertext of the message and of its edits.
        case append(MessageRecord)
        /// Changes nothing; the reply is the first one, or that of the existing deletion.
        case repeated(AcceptedChange)
    }

    /// - Parameter steady: the steady time; without it, `now`.
    /// - Throws: in this order: `not_found` for the conversation, `conflict`, `not_found` for the message,
    ///   `bad_request` for a record that cannot be changed, `forbidden`, `not_found` for the ciphertext, the refusal of
    ///   the permission, `too_large` for one edit too many, `bad_request` for a suite that
    ///   the conversation does not take, `stale_devices`.
    package static func decide(
        _ change: ChangeMessage, sender: DeviceAddress, facts: Facts, now: Timestamp, steady: Timestamp? = nil
    ) throws(Rejection) -> Decision {
        let conversation = try ConversationFacts.visible(facts.conversation, to: sender.user)
        // First of all, so that a repeat gets the first reply whatever has changed since.
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
            try sealed.check(for: conversation.type, facts.keyedDevices)
        case .react(let sealed):
            try target.checkPresence(at: steady)
            try facts.permission?.check(.reaction)
            try sealed.check(for: conversation.type, facts.keyedDevices)
        case .delete:
            // Allowed whatever the permission, also of a message that has disappeared.
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
    /// A message without ciphertext can neither be edited nor reacted to.
    fileprivate func checkPresence(at steady: Timestamp) throws(Rejection) {
        guard hasContent, disappearsAt.map({ $0 > steady }) ?? true else { throw .messageNotFound }
    }
}

extension MessagingPermission {
    /// - Throws: the rejection of a message. A message request counts as spent.
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
