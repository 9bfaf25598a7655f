import ParleyProtocol

/// Decides `messages/send`.
package enum SendMessageRule {
    package struct Facts: Sendable {
        /// The named conversation, with or without the sender.
        package let conversation: ConversationFacts?
        /// The record with this id.
        package let existing: ExistingRecord?
        /// Of the request, 16 bytes.
        package let digest: [UInt8]
        /// Whether the message replied to is in the conversation; `true` without one.
        package let knowsReplyTarget: Bool
        /// Those of the blobs it names that are known.
        package let blobs: [StoredBlob]
        /// All members' devices with published keys but the sending one; sorted.
        package let keyedDevices: [KeyedDevice]
        /// Of the two of a direct conversation; `nil` in a group.
        package let relationship: Relationship?
        /// How long after the end of a friendship there is no new message request.
        package let requestRenewal: Duration

        package init(
            conversation: ConversationFacts?, existing: ExistingRecord?, digest: [UInt8], knowsReplyTarget: Bool,
            blobs: [StoredBlob] = [], keyedDevices: [KeyedDevice], relationship: Relationship? = nil,
            requestRenewal: Duration = .zero
        ) {
            self.conversation = conversation
            self.existing = existing
            self.digest = digest
            self.knowsReplyTarget = knowsReplyTarget
            self.blobs = blobs
            self.keyedDevices = keyedDevices
            self.relationship = relationship
            self.requestRenewal = requestRenewal
        }
    }

    /// A record with the same id.
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
        /// With the permission of the sender; `nil` in a group.
        case append(MessageRecord, MessagingPermission?)
        /// Changes nothing; the reply is the first one.
        case repeated(SentMessage)
    }

    /// - Parameter steady: the steady time; without it, `now`.
    package static func decide(
        _ message: SendMessage, sender: DeviceAddress, facts: Facts, now: Timestamp, steady: Timestamp? = nil
    ) throws(Rejection) -> Decision {
        guard let conversation = facts.conversation, conversation.member(sender.user) != nil else {
            throw .conversationNotFound
        }
        // First of all, so that a repeat gets the first reply whatever has changed since.
        if let existing = facts.existing, existing.conversation == conversation.id, existing.digest == facts.digest {
            return .repeated(
                SentMessage(
                    id: message.id, epoch: conversation.epoch, seq: existing.seq, createdAt: existing.createdAt))
        }
        guard conversation.isAddressable(by: sender.user, facts.relationship) else { throw .conversationNotFound }
        guard facts.existing == nil else { throw .idTaken }
        // Before anything that depends on the conversation: a blocked sender gets the same answer as a stranger whose
        // request is spent.
        let permission = facts.relationship?.permission(of: sender.user, now: now, renewal: facts.requestRenewal)
        if let rejection = permission?.rejection { throw rejection }
        guard facts.knowsReplyTarget else { throw .messageNotFound }
        guard facts.mayName(message.blobs, by: sender.user, in: conversation.id, at: steady ?? now) else {
            throw .blobNotFound
        }
        try message.sealed.check(for: conversation.type, facts.keyedDevices)
        return .append(
            MessageRecord(
                message, sender: sender, epoch: conversation.epoch, seq: try conversation.nextSeq(),
                createdAt: conversation.nextCreation(now), steady: steady ?? now), permission)
    }
}

extension SendMessageRule.Facts {
    /// Whether all of the blobs are there for a message of the sender's.
    fileprivate func mayName(
        _ ids: [BlobID], by user: UserID, in conversation: ConversationID, at steady: Timestamp
    ) -> Bool {
        guard !ids.isEmpty else { return true }
        let free = blobs.filter { $0.mayBeNamed(by: user, in: conversation, at: steady) }.map(\.blob.id)
        return Set(free).isSuperset(of: ids)
    }
}

// MARK: Recipients

extension SealedContent {
    /// Checks that the content may be sent to a conversation of this type, sealed for these devices.
    ///
    /// - Parameter keyed: all members' devices with published keys but the sending one; sorted.
    /// - Throws: `bad_request` for the form of old apps in a group: it is sealed for one device, and nothing in it says
    ///   for which conversation. Then `stale_devices`.
    func check(for type: ConversationType, _ keyed: [KeyedDevice]) throws(Rejection) {
        if suite.bound == nil, type != .direct { throw .onlyDirect(suite) }
        try checkRecipients(keyed)
    }

    /// Checks that the content key is sealed for exactly these devices, and for their published keys where it names a
    /// key (protocol §5, "recipient key", and §6).
    ///
    /// - Throws: `stale_devices`.
    private func checkRecipients(_ keyed: [KeyedDevice]) throws(Rejection) {
        guard let recipientKeys else { return try checkRecipient(keyed) }
        let named = Dictionary(recipientKeys.map { ($0.address, $0) }, uniquingKeysWith: { first, _ in first })
        let missing = keyed.filter { device in !(named[device.address]?.fits(device) ?? false) }.map(\.address)
        let known = Dictionary(keyed.map { ($0.address, $0) }, uniquingKeysWith: { first, _ in first })
        let extra = recipientKeys.filter { key in !(known[key.address].map(key.fits) ?? false) }.map(\.address)
        if !missing.isEmpty || !extra.isEmpty { throw .staleDevices(missing: missing, extra: extra) }
    }

    /// Without a list of recipients one device at most can open it.
    private func checkRecipient(_ keyed: [KeyedDevice]) throws(Rejection) {
        if keyed.count > 1 { throw .staleDevices(missing: keyed.map(\.address), extra: []) }
        guard let recipientKeyID, let device = keyed.first, device.keyID != recipientKeyID else { return }
        throw .staleDevices(missing: [device.address], extra: [device.address])
    }
}

extension RecipientKey {
    /// Whether it names the device's published key, or none.
    fileprivate func fits(_ device: KeyedDevice) -> Bool { keyID.map { $0 == device.keyID } ?? true }
}

extension Rejection {
    fileprivate static func onlyDirect(_ suite: Suite) -> Rejection {
        Rejection(.badRequest, "suite: \(suite.rawValue) is for direct conversations")
    }

    fileprivate static func staleDevices(missing: [DeviceAddress], extra: [DeviceAddress]) -> Rejection {
        Rejection(
            .staleDevices, "The devices of the members, or their keys, are others than those it is sealed for.",
            devices: Rejection.DeviceDifference(missing: missing, extra: extra))
    }
}
