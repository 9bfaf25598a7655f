import ParleyProtocol
import ParleyRules
import ParleyStore

extension Writer {
    /// `conversations/update`
    func update(
        _ request: UpdateConversation, _ route: ReplyRoute, _ transaction: WriteTransaction,
        _ effects: inout Effects, now: Timestamp
    ) throws {
        let caller = route.address.user
        var conversation = try visibleConversation(request.conversation, to: caller, transaction.facts)
        if try GroupRule.rename(request.name, conversation.facts, by: caller) {
            try rename(request.name, &conversation, route, transaction, &effects, now: now)
        }
        // What this batch has brought comes first: it takes others' conversations out of their archives.
        try transaction.updateLog(&conversation)
        try setPreferences(request, &conversation, caller, transaction, &effects, now: now)
        noteGrown(conversation)
        guard let (listing, unread) = try transaction.facts.uncountedListing(conversation.key, for: caller, now: now)
        else { throw StoreError.failed(code: 0, message: "a conversation is gone") }
        effects.outgoing.accept(route, unread: unread) { listing.write(to: &$0, isCounted: false) }
    }

    private func rename(
        _ change: FieldChange<String>, _ conversation: inout ConversationState, _ route: ReplyRoute,
        _ transaction: WriteTransaction, _ effects: inout Effects, now: Timestamp
    ) throws {
        let current = try object(of: &conversation, transaction).name
        let name = change.applied(to: current)
        guard name != current else { return }
        try checkRoom(for: StorageCost.row, of: route.address.user, transaction.facts)
        try transaction.rename(conversation.key, to: name)
        try append(
            .conversationRenamed, about: nil, by: route.address, to: &conversation, transaction, &effects, now: now)
        try announce(try object(of: &conversation, transaction), transaction, &effects)
    }

    private func setPreferences(
        _ request: UpdateConversation, _ conversation: inout ConversationState, _ caller: UserID,
        _ transaction: WriteTransaction, _ effects: inout Effects, now: Timestamp
    ) throws {
        guard let current = try transaction.facts.preferences(of: caller, in: conversation.key, now: now) else {
            throw StoreError.failed(code: 0, message: "a member is gone")
        }
        let wanted = SetPreferences.decide(request, current: current, now: now)
        guard wanted != current else { return }
        try transaction.setPreferences(wanted, of: caller, in: &conversation)
        try effects.event(.user(caller, .events), transaction) {
            wanted.writeEvent(request.conversation, to: &$0)
        }
    }
}

extension UpdateConversation: CommandHandler {
    func carryOut(in context: CommandContext, _ effects: inout Effects) throws {
        try context.writer.update(self, context.route, context.transaction, &effects, now: context.now)
    }
}
