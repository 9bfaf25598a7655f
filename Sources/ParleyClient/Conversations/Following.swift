import ParleyProtocol

/// Asks for single conversations, and follows them.
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

    /// Follows a conversation that was just made.
    nonisolated(nonsending) func follow(
        made: Conversation
    ) async throws(ClientError) -> ConversationSummary {
        try conversationUpdates.check(made)
        if logs[made.id]?.isFollowed != true {
            conversationUpdates.subscribe(to: made.id)
            do throws(ClientError) {
                // What was sent before the broker granted the subscription is not in `last_seq`: it is asked for after
                // it.
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

    /// - Throws: ``ClientError/gatewayFault(_:)`` where a group that was just made has members whom nobody has put
    ///   there.
    func refuseUninvited(_ members: [UserID], in id: ConversationID, but invited: Set<UserID>) throws(ClientError) {
        let uninvited = Set(members).subtracting(invited)
        guard uninvited.isEmpty else { throw gateway.report(.uninvited(id, uninvited.sorted())) }
    }
}
