import ParleyProtocol
import ParleyRules
import ParleyStore

extension ApplyContext {
    var relationships: RelationshipConsequences { RelationshipConsequences(context: self) }
}

/// Writes changes of relationships, and publishes their consequences.
struct RelationshipConsequences {
    let context: ApplyContext

    /// Writes a change, and publishes its consequences.
    func apply(_ decision: RelationshipDecision) throws(StoreError) {
        let (old, new) = (decision.old, decision.new)
        guard new != old else { return }
        if new.contact != old.contact {
            try context.transaction.contacts.update(
                old.contact, to: new.contact, conversation: decision.conversation?.key, at: context.now)
        }
        let consequences = new.consequences(since: old)
        if var conversation = decision.conversation {
            conversation.contact = new.contact
            try carryOut(consequences, in: &conversation)
            for user in consequences.answered {
                let asker = new.contact.other(than: user)
                try context.feed.clear(.messageRequest(by: asker, in: conversation.facts.id), of: user)
            }
        }
        try announce(consequences, between: new.contact)
    }

    /// Does the same for a message that has changed the relationship of the two.
    func apply(
        _ record: MessageRecord, under permission: MessagingPermission, _ new: Relationship,
        _ conversation: ConversationState
    ) throws(StoreError) {
        let sender = record.sender.user
        guard let old = conversation.relationship else { return }
        try apply(RelationshipDecision(old: old, new: new, conversation: conversation))
        guard permission == .request, !new.isWithheld(of: sender) else { return }
        // The recipient gets no other event of it. The event cannot be withdrawn when the message expires: a
        // disappearing message is sent without its ciphertext, which `requests/list` returns.
        let request = MessageRequest(message: record.expiresAt == nil ? record : record.withoutCiphertext)
        let recipient = new.contact.other(than: sender)
        try context.publish(request, to: recipient)
        context.feed.notify(recipient, .messageRequest(by: sender, in: record.conversation))
    }

    /// Opens and closes the conversation.
    private func carryOut(
        _ consequences: Relationship.Consequences, in conversation: inout ConversationState
    ) throws(StoreError) {
        for user in consequences.opened + consequences.closed {
            let isOpen = consequences.opened.contains(user)
            // A conversation that another opens does not count among a user's open conversations.
            try context.transaction.members.setOpen(
                isOpen, for: user, in: conversation.key, isCounted: user == context.sender.user)
            conversation.facts.setOpen(isOpen, for: user)
        }
        context.replace(conversation)
        for user in consequences.closed {
            context.pushTriggers.clearing(
                upTo: conversation.facts.lastSeq, in: conversation.key, of: user,
                at: try context.read { try $0.outbox.lastPosition() })
        }
        if consequences.hasNewAudience { context.changeAudience(conversation.audience) }
        for user in consequences.opened {
            let object = try context.object(of: conversation, seenBy: user)
            try context.publish(ConversationCreated(object), to: user)
        }
    }

    private func announce(
        _ consequences: Relationship.Consequences, between contact: Contact
    ) throws(StoreError) {
        if let areFriends = consequences.friendship {
            let (one, other) = (contact.users[0], contact.users[1])
            context.changeAudience(areFriends ? .friends(one, other) : .friendsEnded(one, other))
            for user in contact.users {
                let notice = PersonNotice(areFriends ? .friendAdded : .friendRemoved, contact.other(than: user))
                try context.publish(notice, to: user)
            }
        }
        for user in contact.users {
            guard let blocks = consequences.blocks[user] else { continue }
            // To the blocker's devices alone, which hide the other, also in groups.
            let notice = PersonNotice(blocks ? .userBlocked : .userUnblocked, contact.other(than: user))
            try context.publish(notice, to: user)
        }
    }
}
