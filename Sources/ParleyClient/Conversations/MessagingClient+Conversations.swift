import ParleyProtocol

// Conversations: those that there are, and new ones.

extension MessagingClient {
    /// Everything that this device knows of, the last active first, without those that are not open.
    public func conversations() -> [ConversationSummary] {
        context.logs.all.map(\.id).compactMap(context.conversationUpdates.summary).filter(\.isOpen).sorted {
            one, other in
            (one.lastActivity, one.id) > (other.lastActivity, other.id)
        }
    }

    /// The direct conversation with a user, which is made if there is none.
    ///
    /// Where that user's message request waits it is there and not open: a message accepts the request.
    ///
    /// - Throws: ``ClientError/refused(_:)`` with `not_found` for a user who does not exist. Without a connection only a
    ///   conversation that is known can be had.
    public func conversation(with user: UserID) async throws(ClientError) -> ConversationSummary {
        if let known = context.logs.direct(with: user), known.isFollowed || !known.isOpen,
            let summary = context.conversationUpdates.summary(known.id)
        {
            return summary
        }
        let made = try await context.ask { (gateway) async throws(RequestError) in
            try await gateway.createDirectConversation(with: user)
        }
        guard made.type == .known(.direct), made.id == .direct(device.user, user) else {
            throw context.report(.otherConversation(made.id))
        }
        return try await context.following.follow(made: made)
    }

    /// Makes a group of the user and at most nine others.
    ///
    /// - Parameter name: at most 100 characters.
    public func createGroup(name: String?, with users: [UserID]) async throws(ClientError) -> ConversationSummary {
        let id = ConversationID.random()
        let made = try await context.ask { (gateway) async throws(RequestError) in
            try await gateway.createGroup(id: id, name: name, participants: users)
        }
        guard made.type == .known(.group), made.id == id else { throw context.report(.otherConversation(made.id)) }
        let invited = Set(users + [device.user])
        try context.following.refuseUninvited(made.members.map(\.user), in: id, but: invited)
        let group = try await context.following.follow(made: made)
        // It was asked for once more, and that answer is the one that counts.
        try context.following.refuseUninvited(group.members.map(\.user), in: id, but: invited)
        return group
    }

    /// A conversation by its id, and follows it.
    ///
    /// - Throws: ``ClientError/refused(_:)`` with `not_found` for one that the user may not see.
    public func conversation(_ id: ConversationID) async throws(ClientError) -> ConversationSummary {
        if context.logs[id]?.isFollowed != true || context.logs[id]?.object == nil {
            try await context.following.follow(id)
        }
        return try context.following.summary(id)
    }
}

extension ConversationSummary {
    /// When something last happened in it.
    fileprivate var lastActivity: Timestamp { max(updatedAt, lastMessage?.createdAt ?? updatedAt) }
}
