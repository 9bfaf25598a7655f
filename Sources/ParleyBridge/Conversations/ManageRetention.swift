import ParleyProtocol
import ParleyRules
import ParleyStore

extension Snapshot {
    /// - Parameter general: of the gateway's settings, in days.
    fileprivate func retention(of id: ConversationID, general: Int) throws -> Retention? {
        guard let conversation = try conversations.conversation(id) else { return nil }
        let own = try retention.days(of: conversation.key)
        return Retention(
            conversation: id, days: RetentionRule.days(own: own, general: general), isOwn: own != nil)
    }
}

extension GetRetention: QueryHandler {
    func answer(in context: QueryContext) throws -> WrittenAnswer {
        let general = context.reader.settings.retentionDays
        guard let retention = try context.snapshot.retention(of: conversation, general: general) else {
            throw Rejection.conversationNotFound
        }
        return retention.write
    }
}

extension SetRetention: CommandHandler {
    func decide(in context: DecisionContext) throws -> ConversationKey {
        guard let found = try context.conversation(conversation) else { throw Rejection.conversationNotFound }
        return found.key
    }

    func apply(_ key: ConversationKey, in context: ApplyContext) throws(StoreError) {
        try context.transaction.retention.set(days, of: key)
        context.afterCommit.wake(RetentionDuty.self, at: context.steady)
        let days = RetentionRule.days(own: days, general: context.settings.retentionDays)
        let retention = Retention(conversation: conversation, days: days, isOwn: self.days != nil)
        context.accept { retention.write(to: &$0) }
    }
}
