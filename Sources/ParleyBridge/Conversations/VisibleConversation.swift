import ParleyProtocol
import ParleyRules
import ParleyStore

extension ConversationState {
    /// The conversation, if there is one and the user may see it.
    static func visible(_ conversation: ConversationState?, to user: UserID) throws(Rejection) -> ConversationState {
        guard let conversation else { throw .conversationNotFound }
        _ = try ConversationFacts.visible(conversation.facts, to: user)
        return conversation
    }
}

extension Snapshot {
    func visibleConversation(_ id: ConversationID, to user: UserID) throws -> ConversationState {
        try ConversationState.visible(try conversations.conversation(id), to: user)
    }
}

extension GetConversation: QueryHandler {
    func answer(in context: QueryContext) throws -> WrittenAnswer {
        let (user, snapshot) = (context.caller.user, context.snapshot)
        let state = try snapshot.visibleConversation(conversation, to: user)
        guard let object = try snapshot.conversations.object(state.key, seenBy: user) else {
            throw Rejection.conversationNotFound
        }
        return object.write
    }
}
