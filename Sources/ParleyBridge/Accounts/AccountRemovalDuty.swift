import Logging
import ParleyProtocol
import ParleyRules
import ParleyStore

/// Removes the data of a deleted account: memberships, as by leaving, then rows, some at a time. It continues after a
/// restart.
final class AccountRemovalDuty: ScheduledDuty {
    static let failure: Logger.Message = "what a departed user has left could not be removed"
    static let sharedWork: SharedWork? = .accountRemovals
    static let publishes = true
    var schedule = DutySchedule()

    /// Conversations to leave in one transaction, which delays the batch behind it.
    static let conversationsAtOnce = 8
    /// The same for rows.
    static let rowsAtOnce = 256
    private static let pause = Duration.milliseconds(100)

    func run(in batch: Batch) throws(StoreError) -> NextPart {
        guard let removal = try batch.facts().accountRemovals.next() else { return NextPart(dueAt: nil, pause: .zero) }
        let context = ApplyContext(.unasked(removal.address), batch)
        if let through = removal.leftThrough {
            try context.leaveConversations(after: through, Self.conversationsAtOnce, in: batch)
        } else if try !context.endFriendships(Self.rowsAtOnce / 8, in: batch) {
            // Others follow in the next part.
        } else {
            _ = try batch.writable().accountRemovals.removeRows(of: removal.address.user, limit: Self.rowsAtOnce)
        }
        return NextPart(dueAt: batch.steady, pause: Self.pause)
    }
}

extension ApplyContext {
    fileprivate func leaveConversations(
        after key: ConversationKey, _ limit: Int, in batch: Batch
    ) throws(StoreError) {
        let user = sender.user
        let next = try batch.facts().accountRemovals.conversations(of: user, after: key, limit: limit)
        for (_, id) in next {
            guard let conversation = try batch.conversation(id) else { continue }
            switch conversation.facts.type {
            case .direct: try endContact(in: conversation, batch)
            case .group:
                // A member leaves it even if it is not open for them.
                guard let departure = try? GroupPolicy.leave(conversation.facts, by: user) else { continue }
                _ = try memberships.leave(conversation, departure)
            }
        }
        try transaction.accountRemovals.setLeft(through: next.count < limit ? nil : next.last?.key, user)
    }

    /// A direct conversation stays the other user's; the departed user gets nothing of it, as after a block.
    private func endContact(in conversation: ConversationState, _ batch: Batch) throws(StoreError) {
        guard let contact = conversation.contact else { return }
        try perform(.block, contact, conversation, batch)
        try transaction.receipts.removeWatermarks(of: sender.user, in: conversation.key)
    }

    /// - Returns: whether none is left.
    fileprivate func endFriendships(_ limit: Int, in batch: Batch) throws(StoreError) -> Bool {
        let followed = try batch.facts().accountRemovals.followed(by: sender.user, limit: limit)
        for other in followed {
            guard let contact = try batch.facts().contacts.anyContact(sender.user, other) else { continue }
            let direct = try? ConversationID.direct([sender.user, other])
            try perform(.unfollow, contact, try direct.flatMap(batch.conversation), batch)
        }
        return followed.count < limit
    }

    private func perform(
        _ act: Relationship.Act, _ contact: Contact, _ conversation: ConversationState?, _ batch: Batch
    ) throws(StoreError) {
        let deciding = DecisionContext(route, batch)
        // Both acts are always allowed; a refusal would leave the relationship as it is.
        guard let decision = try? RelationshipDecision(act, contact, conversation, in: deciding) else { return }
        try relationships.apply(decision)
    }
}
