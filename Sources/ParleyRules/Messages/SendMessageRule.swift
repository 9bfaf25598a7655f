import ParleyProtocol

/// Decides `messages/send`: facts, a command and a time in, a decision out.
package enum SendMessageRule {
    package struct Facts: Sendable {
        /// The conversation named, whether the sender is in it or not.
        package let conversation: ConversationFacts?
        /// The record that has this id already.
        package let existing: ExistingRecord?
        /// The digest of the request's identity, 16 bytes.
        package let digest: [UInt8]
        /// Whether the message replied to is in the conversation; `true` if none is named.
        package let knowsReplyTarget: Bool
        /// The devices of all members that have published keys, the sending one left out; sorted.
        package let keyedDevices: [KeyedDevice]
        /// What is between the two of a direct conversation; `nil` in a group.
        package let relationship: Relationship?
        /// How long after the end of a friendship there is no new message request.
        package let requestRenewal: Duration

        package init(
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
    package struct ExistingRecord: Hashable, Sendable {
        package let conversation: ConversationID
        package let seq: Int
        package let createdAt: Timestamp
        package let digest: [UInt8]

        package init(conversation: ConversationID, seq: Int, createdAt: Timestamp, digest: [UInt8]) {
            (self.conversation, self.seq, self.createdAt, self.digest) = (conversation, seq, createdAt, digest)
        }
    }

    package enum Decision: Hashable, Sendable {
        /// Append this record, which was written under this permission: `nil` in a group, whose members may write.
        case append(MessageRecord, MessagingPermission?)
        /// Nothing is done; the first reply is given again.
        case repeated(SentMessage)
    }

    /// - Parameter steady: the steady time; without it, `now`.
    package static func decide(
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
        // Before anything that depends on the conversation: who was blocked gets the same answer as a stranger whose
        // request is spent.
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

extension SendMessageRule.Facts {
    /// Whether the conversation is the member's own, or they have a message request in it.
    fileprivate func isAddressable(by user: UserID) -> Bool {
        relationship?.isAddressable(by: user) ?? (conversation?.member(user)?.isOpen == true)
    }
}

// MARK: Whom it is sealed for

extension SealedContent {
    /// Checks that the content key is sealed for the devices that there are, and for their published keys where it says
    /// for which (protocol §5, "recipient key", and §6).
    ///
    /// - Parameter keyed: the devices of all members that have published keys, the sending one left out; sorted.
    /// - Throws: `stale_devices`.
    func checkRecipients(_ keyed: [KeyedDevice]) throws(Rejection) {
        guard let recipientKeys else { return try checkRecipient(keyed) }
        let named = Dictionary(recipientKeys.map { ($0.address, $0) }, uniquingKeysWith: { first, _ in first })
        let missing = keyed.filter { device in !(named[device.address]?.fits(device) ?? false) }.map(\.address)
        let known = Dictionary(keyed.map { ($0.address, $0) }, uniquingKeysWith: { first, _ in first })
        let extra = recipientKeys.filter { key in !(known[key.address].map(key.fits) ?? false) }.map(\.address)
        if !missing.isEmpty || !extra.isEmpty { throw .staleDevices(missing: missing, extra: extra) }
    }

    /// Without a list of recipients there is one device at most that could open it.
    private func checkRecipient(_ keyed: [KeyedDevice]) throws(Rejection) {
        if keyed.count > 1 { throw .staleDevices(missing: keyed.map(\.address), extra: []) }
        guard let recipientKeyID, let device = keyed.first, device.keyID != recipientKeyID else { return }
        throw .staleDevices(missing: [device.address], extra: [device.address])
    }
}

extension RecipientKey {
    /// Whether it is sealed for the key that the device has published, as far as it says.
    fileprivate func fits(_ device: KeyedDevice) -> Bool { keyID.map { $0 == device.keyID } ?? true }
}

extension Rejection {
    fileprivate static func staleDevices(missing: [DeviceAddress], extra: [DeviceAddress]) -> Rejection {
        Rejection(
            .staleDevices, "The devices of the members, or their keys, are others than those it is sealed for.",
            devices: Rejection.DeviceDifference(missing: missing, extra: extra))
    }
}
