import ParleyProtocol

/// Makes conversations, and follows them.
struct ConversationMaking {
    let context: ClientContext

    /// As ``MessagingClient/conversation(with:)``.
    nonisolated(nonsending) func direct(with user: UserID) async throws(ClientError) -> ConversationSummary {
        if let known = context.logs.direct(with: user), known.isFollowed || !known.isOpen,
            let summary = context.conversationUpdates.summary(known.id)
        {
            return summary
        }
        let made = try await context.ask(CreateConversation(form: .direct, participants: [user]))
        guard made.type == .known(.direct), made.id == .direct(context.device.user, user) else {
            throw context.report(.otherConversation(made.id))
        }
        return try await context.following.follow(made: made)
    }

    /// As ``MessagingClient/Groups/create(name:with:)``.
    nonisolated(nonsending) func group(
        name: String?, with users: [UserID]
    ) async throws(ClientError) -> ConversationSummary {
        // Chosen here, so that a repeat of the request makes no second group.
        let id = ConversationID.random()
        let made = try await context.ask(CreateConversation(form: .group(id: id, name: name), participants: users))
        guard made.type == .known(.group), made.id == id else { throw context.report(.otherConversation(made.id)) }
        let invited = Set(users + [context.device.user])
        try context.following.refuseUninvited(made.members.map(\.user), in: id, but: invited)
        let group = try await context.following.follow(made: made)
        // It was asked for once more, and that answer is the one that counts.
        try context.following.refuseUninvited(group.members.map(\.user), in: id, but: invited)
        return group
    }
}

extension ClientContext {
    var making: ConversationMaking { ConversationMaking(context: self) }
}
