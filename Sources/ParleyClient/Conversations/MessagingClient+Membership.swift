import ParleyProtocol

// Who is in a group and what it is called, and how the user wants a conversation treated. The gateway decides; what it
// answers is taken up here, and what it tells the user's other devices comes to this one too.

extension MessagingClient {
    /// Changes what is named, and nothing else.
    ///
    /// - Throws: ``ClientError/refused(_:)``, as all that follow.
    @discardableResult
    public func update(_ change: UpdateConversation) async throws(ClientError) -> ConversationSummary {
        try await context.membership.carryOut { (gateway) async throws(RequestError) in try await gateway.update(change)
        }
    }

    /// - Parameter name: `nil` takes the group's name away.
    @discardableResult
    public func rename(
        _ conversation: ConversationID, to name: String?
    ) async throws(ClientError) -> ConversationSummary {
        try await context.membership.carryOut { (gateway) async throws(RequestError) in
            try await gateway.rename(conversation, to: name)
        }
    }

    /// Raises no notifications until a time, or for good; `.off` ends that.
    @discardableResult
    public func mute(
        _ conversation: ConversationID, _ muting: ConversationPreferences.Muting = .forever
    ) async throws(ClientError) -> ConversationSummary {
        try await context.membership.carryOut { (gateway) async throws(RequestError) in
            try await gateway.mute(conversation, muting)
        }
    }

    /// Puts a conversation away; the next message in it brings it back.
    @discardableResult
    public func archive(
        _ conversation: ConversationID, _ isArchived: Bool = true
    ) async throws(ClientError) -> ConversationSummary {
        try await context.membership.carryOut { (gateway) async throws(RequestError) in
            try await gateway.archive(conversation, isArchived)
        }
    }

    /// Marks a conversation as unread by hand, until it is read again.
    @discardableResult
    public func markUnread(
        _ conversation: ConversationID, _ isUnread: Bool = true
    ) async throws(ClientError) -> ConversationSummary {
        try await context.membership.carryOut { (gateway) async throws(RequestError) in
            try await gateway.markUnread(conversation, isUnread)
        }
    }

    @discardableResult
    public func add(
        _ users: [UserID], to conversation: ConversationID
    ) async throws(ClientError) -> ConversationSummary {
        try await context.membership.carryOut { (gateway) async throws(RequestError) in
            try await gateway.add(users, to: conversation)
        }
    }

    @discardableResult
    public func remove(
        _ user: UserID, from conversation: ConversationID
    ) async throws(ClientError) -> ConversationSummary {
        try await context.membership.carryOut { (gateway) async throws(RequestError) in
            try await gateway.remove(user, from: conversation)
        }
    }

    @discardableResult
    public func setRole(
        _ role: MemberRole, of user: UserID, in conversation: ConversationID
    ) async throws(ClientError) -> ConversationSummary {
        try await context.membership.carryOut { (gateway) async throws(RequestError) in
            try await gateway.setRole(role, of: user, in: conversation)
        }
    }

    /// The user is no member any more. What is kept of the conversation stays readable.
    public func leave(_ conversation: ConversationID) async throws(ClientError) {
        try await context.ask { (gateway) async throws(RequestError) in try await gateway.leave(conversation) }
        context.conversationUpdates.remove(conversation)
    }
}

/// Changes to a conversation that the gateway makes.
struct MembershipRequests {
    let context: ClientContext

    nonisolated(nonsending) func carryOut(
        _ request: @Sendable (GatewayRequests) async throws(RequestError) -> ReceivedConversation
    ) async throws(ClientError) -> ConversationSummary {
        let conversation = try await context.ask(request)
        try context.conversationUpdates.check(conversation)
        context.conversationUpdates.merge(conversation)
        guard let summary = context.conversationUpdates.summary(conversation.id) else {
            throw .unknownConversation(conversation.id)
        }
        return summary
    }
}

extension ClientContext {
    var membership: MembershipRequests { MembershipRequests(context: self) }
}
