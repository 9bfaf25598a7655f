import ParleyProtocol

struct Following {
    let logs: ConversationLogs, gateway: GatewayAccess, conversationUpdates: ConversationUpdates

    /// Fetches one conversation, subscribing to it first.
    nonisolated(nonsending) func follow(_ id: ConversationID) async throws(ClientError) {
        conversationUpdates.subscribe(to: id)
        do throws(ClientError) {
            let conversation = try await gateway.ask(GetConversation(conversation: id))
            guard conversation.id == id else { throw gateway.report(.otherConversation(conversation.id)) }
            try conversationUpdates.check(conversation)
            conversationUpdates.merge(conversation)
        } catch {
            if error.isLackOfAccess { conversationUpdates.remove(id) }
            throw error
        }
    }

    /// Follows a conversation that was just created.
    nonisolated(nonsending) func follow(
        made: Conversation
    ) async throws(ClientError) -> ConversationSummary {
        try conversationUpdates.check(made)
        if logs[made.id]?.isFollowed != true {
            conversationUpdates.subscribe(to: made.id)
            do throws(ClientError) {
                // Fetched again after the subscription: messages sent before it are not in the old `last_seq`.
                try await follow(made.id)
            } catch {
                guard error.isLackOfAccess, made.type == .known(.direct) else { throw error }
                conversationUpdates.close(made)
            }
        } else {
            conversationUpdates.merge(made)
        }
        return try summary(made.id)
    }

    func summary(_ id: ConversationID) throws(ClientError) -> ConversationSummary {
        guard let summary = conversationUpdates.summary(id) else { throw .unknownConversation(id) }
        return summary
    }

    /// - Throws: ``ClientError/gatewayFault(_:)`` if a new group has members whom nobody has invited.
    func refuseUninvited(_ members: [UserID], in id: ConversationID, but invited: Set<UserID>) throws(ClientError) {
        let uninvited = Set(members).subtracting(invited)
        guard uninvited.isEmpty else { throw gateway.report(.uninvited(id, uninvited.sorted())) }
    }
}
