import ParleyProtocol

/// Asks for single conversations, and follows them.
struct Following {
    let context: ClientContext

    /// Fetches one conversation, subscribing to it first.
    nonisolated(nonsending) func follow(_ id: ConversationID) async throws(ClientError) {
        context.conversationUpdates.subscribe(to: id)
        do throws(ClientError) {
            let conversation = try await context.ask(GetConversation(conversation: id))
            guard conversation.id == id else { throw context.report(.otherConversation(conversation.id)) }
            try context.conversationUpdates.check(conversation)
            context.conversationUpdates.merge(conversation)
        } catch {
            if error.isLackOfAccess { context.conversationUpdates.remove(id) }
            throw error
        }
    }

    /// Follows a conversation that was just made.
    nonisolated(nonsending) func follow(
        made: Conversation
    ) async throws(ClientError) -> ConversationSummary {
        try context.conversationUpdates.check(made)
        if context.logs[made.id]?.isFollowed != true {
            context.conversationUpdates.subscribe(to: made.id)
            do throws(ClientError) {
                // What was sent before the broker granted the subscription is not in `last_seq`: it is asked for after
                // it.
                try await follow(made.id)
            } catch {
                guard error.isLackOfAccess, made.type == .known(.direct) else { throw error }
                context.conversationUpdates.close(made)
            }
        } else {
            context.conversationUpdates.merge(made)
        }
        return try summary(made.id)
    }

    func summary(_ id: ConversationID) throws(ClientError) -> ConversationSummary {
        guard let summary = context.conversationUpdates.summary(id) else { throw .unknownConversation(id) }
        return summary
    }

    /// - Throws: ``ClientError/gatewayFault(_:)`` where a group that was just made has members whom nobody has put there.
    func refuseUninvited(_ members: [UserID], in id: ConversationID, but invited: Set<UserID>) throws(ClientError) {
        let uninvited = Set(members).subtracting(invited)
        guard uninvited.isEmpty else { throw context.report(.uninvited(id, uninvited.sorted())) }
    }
}

extension ClientContext {
    var following: Following { Following(context: self) }
}
