import ParleyProtocol
import ParleyRules
import ParleyStore

extension SendMessage: GatheredCommandHandler {
    struct Decision {
        let conversation: ConversationState
        /// The digest of the request, 16 bytes.
        let digest: [UInt8]
        let acceptance: SendMessageRule.Decision
        /// The relationship of the two of a direct conversation afterwards; `nil` if the message does not change it.
        let relationship: Relationship?
    }

    /// Blobs are changed by other ways than their conversation, too.
    var isGathered: Bool { blobs.isEmpty }

    func declareFacts(for sender: DeviceAddress, in facts: inout DeclaredFacts) {
        facts.sealedFor.append(conversation)
        facts.records.append(id)
        if let replyTo { facts.records.append(replyTo) }
        facts.storing.append(sender.user)
    }

    func decide(in context: DecisionContext) throws -> Decision {
        let sender = context.sender
        guard let conversation = try context.conversation(conversation) else { throw Rejection.conversationNotFound }
        let digest = try context.digest(of: self)
        let facts = SendMessageRule.Facts(
            conversation: conversation.facts, existing: try context.location(of: id)?.record, digest: digest,
            knowsReplyTarget: try replyTo.map { target in
                try context.location(of: target)?.seq(in: conversation.facts, visibleTo: sender.user) != nil
            } ?? true,
            blobs: blobs.isEmpty ? [] : try context.facts.blobs.blobs(blobs).values.map(\.stored),
            keyedDevices: try context.recipients(of: conversation.facts), relationship: conversation.relationship,
            requestRenewal: context.settings.requestRenewal)
        let acceptance: SendMessageRule.Decision
        do throws(Rejection) {
            acceptance = try SendMessageRule.decide(
                self, sender: sender, facts: facts, now: context.now, steady: context.steady)
        } catch {
            if error.code == .staleDevices { try chargeDevices(of: conversation.facts, context) }
            throw error
        }
        var relationship: Relationship?
        if case .append(let record, let permission) = acceptance {
            // An answer in a conversation that is not open for the sender opens it.
            if conversation.facts.member(sender.user)?.isOpen == false { try context.checkOpenConversations() }
            try context.checkRoom(for: record.storageCost, of: sender.user)
            if let permission {
                try context.limitFirstMessage(under: permission, conversation)
                relationship = conversation.relationship(changedByMessageOf: sender.user, under: permission)
            }
        }
        return Decision(
            conversation: conversation, digest: digest, acceptance: acceptance, relationship: relationship)
    }

    func apply(_ decision: Decision, in context: ApplyContext) throws(StoreError) {
        switch decision.acceptance {
        case .repeated(let first):
            context.accept { first.write(to: &$0) }
        case .append(let record, let permission):
            var conversation = decision.conversation
            try context.append(record, to: &conversation, digest: decision.digest, isUrgent: isUrgent)
            if !blobs.isEmpty {
                try context.transaction.blobs.name(blobs, by: record, in: conversation.key)
                if let end = record.disappearsAt { context.afterCommit.wake(BlobRemovalDuty.self, at: end) }
            }
            if let permission, let relationship = decision.relationship {
                try context.relationships.apply(record, under: permission, relationship, conversation)
            }
            context.afterCommit.messages += 1
            guard !echoIsReply else { return }
            let sent = SentMessage(id: record.id, epoch: record.epoch, seq: record.seq, createdAt: record.createdAt)
            context.accept { sent.write(to: &$0) }
        }
    }

    /// `stale_devices` names the devices: of a stranger that counts as a fetch of keys.
    ///
    /// - Throws: `rate_limited`, which is answered instead.
    private func chargeDevices(of conversation: ConversationFacts, _ context: DecisionContext) throws {
        guard let other = conversation.other(than: context.sender.user) else { return }
        try context.chargeLookup(of: other, .keyFetches)
    }
}

extension ConversationState {
    /// The relationship of the two of a direct conversation after a message under `permission`; `nil` if the message
    /// does not change it, as almost none does.
    fileprivate func relationship(changedByMessageOf user: UserID, under permission: MessagingPermission)
        -> Relationship?
    {
        if let contact, facts.isOpenForAll, case .allowed = permission,
            contact.isUnchanged(byMessageOf: user, under: permission)
        {
            return nil
        }
        guard let old = relationship else { return nil }
        var new = old
        new.recordMessage(of: user, under: permission)
        return new == old ? nil : new
    }
}
