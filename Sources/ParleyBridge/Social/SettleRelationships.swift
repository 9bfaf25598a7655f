import ParleyProtocol
import ParleyRules
import ParleyStore

extension Writer {
    /// Writes what is otherwise between two people, and tells everybody whom it concerns.
    ///
    /// - Parameter conversation: their direct conversation, `nil` where none was made yet; left as it is afterwards.
    func settle(
        _ old: Relationship, _ new: Relationship, _ conversation: inout ConversationState?,
        _ transaction: WriteTransaction, _ effects: inout Effects, now: Timestamp
    ) throws {
        guard new != old else { return }
        if new.contact != old.contact {
            try transaction.update(old.contact, to: new.contact, conversation: conversation?.key, at: now)
        }
        let consequences = new.consequences(since: old)
        if var state = conversation {
            state.contact = new.contact
            try carryOut(consequences, in: &state, transaction, &effects)
            conversation = state
        }
        try announce(consequences, between: new.contact, transaction, &effects)
    }

    /// Opens and closes the conversation.
    private func carryOut(
        _ consequences: Relationship.Consequences, in conversation: inout ConversationState,
        _ transaction: WriteTransaction, _ effects: inout Effects
    ) throws {
        for user in consequences.opened + consequences.closed {
            let isOpen = consequences.opened.contains(user)
            try transaction.setOpen(isOpen, for: user, in: conversation.key)
            conversation.facts.setOpen(isOpen, for: user)
        }
        note(conversation)
        if consequences.hasNewAudience { effects.audience.append(conversation.audience) }
        for user in consequences.opened {
            let object = try object(of: &conversation, seenBy: user, transaction)
            try effects.event(.user(user, .events), transaction) { object.writeCreated(to: &$0) }
        }
    }

    private func announce(
        _ consequences: Relationship.Consequences, between contact: Contact, _ transaction: WriteTransaction,
        _ effects: inout Effects
    ) throws {
        if let areFriends = consequences.friendship {
            let (one, other) = (contact.users[0], contact.users[1])
            effects.audience.append(areFriends ? .friends(one, other) : .friendsEnded(one, other))
            for user in contact.users {
                try effects.event(
                    areFriends ? "friend.added" : "friend.removed", about: contact.other(than: user), to: user,
                    transaction)
            }
        }
        for user in contact.users {
            guard let blocks = consequences.blocks[user] else { continue }
            // To his own devices alone: whom to hide, also in groups.
            try effects.event(
                blocks ? "user.blocked" : "user.unblocked", about: contact.other(than: user), to: user, transaction)
        }
    }
}

extension Effects {
    /// An event on the user's own topic that says no more than whom it is about.
    fileprivate mutating func event(
        _ type: StaticString, about other: UserID, to user: UserID, _ transaction: WriteTransaction
    ) throws {
        try event(.user(user, .events), transaction) { writer in
            writer.event(type) { writer in
                writer.object { $0.member("user_id", other) }
            }
        }
    }
}
