import ParleyProtocol
import ParleyRules
import ParleyStore

extension UpdateConversation: CommandHandler {
    struct Decision {
        let conversation: ConversationState
        /// The new name; `.unchanged` if it has that already.
        let name: FieldChange<String>
        /// The caller's preferences; `nil` if they do not change.
        let preferences: ConversationPreferences?
    }

    func decide(in context: DecisionContext) throws -> Decision {
        let (caller, facts) = (context.sender.user, try context.facts)
        let conversation = try context.visibleConversation(conversation, to: caller)
        var change = FieldChange<String>.unchanged
        if try context.groupPolicy(of: conversation).rename(name, conversation.facts, by: caller) {
            let current = try facts.conversations.object(conversation.key, seenBy: nil)?.name
            if name.applied(to: current) != current {
                change = name
                try context.checkRoom(for: StorageCost.row, of: caller)
            }
        }
        guard let current = try facts.members.preferences(of: caller, in: conversation.key, now: context.now) else {
            throw StoreError.inconsistent(.missingMember)
        }
        let wanted = PreferencesRule.decide(self, current: current, now: context.now)
        return Decision(conversation: conversation, name: change, preferences: wanted == current ? nil : wanted)
    }

    func apply(_ decision: Decision, in context: ApplyContext) throws(StoreError) {
        var conversation = decision.conversation
        switch decision.name {
        case .unchanged: break
        case .set(let name): try context.rename(&conversation, to: name)
        case .cleared: try context.rename(&conversation, to: nil)
        }
        if let preferences = decision.preferences { try set(preferences, &conversation, context) }
        let (key, caller) = (conversation.key, context.sender.user)
        let listing = try context.read { try $0.listings.uncounted(key, for: caller, now: context.now) }
        guard let (listing, unread) = listing else { throw .inconsistent(.missingConversation) }
        context.accept(unread: .conversation(unread)) { listing.write(to: &$0) }
    }

    private func set(
        _ preferences: ConversationPreferences, _ conversation: inout ConversationState, _ context: ApplyContext
    ) throws(StoreError) {
        let caller = context.sender.user
        conversation = try context.conversation(self.conversation)
        try context.transaction.members.setPreferences(preferences, of: caller, in: &conversation)
        context.replace(conversation)
        let position = try context.publish(
            ConversationSettings(conversation: self.conversation, preferences: preferences), to: caller)
        // It does not count in the badge any more.
        guard preferences.isMuted || preferences.isArchived else { return }
        context.pushTriggers.clearing(
            upTo: conversation.facts.lastSeq, in: conversation.key, of: caller, besides: context.sender.device,
            at: position)
    }
}

extension ApplyContext {
    /// Gives a group's conversation another name.
    func rename(_ conversation: inout ConversationState, to name: String?) throws(StoreError) {
        try transaction.conversations.rename(conversation.key, to: name)
        try append(.conversationRenamed, about: nil, to: &conversation)
        let object = try object(of: conversation)
        try publish(ConversationUpdated(object))
        try groups.announceName(of: object, conversation)
    }
}
