import ParleyProtocol

extension MessagingClient {
    /// Making groups, who is in them, and what they are called.
    public nonisolated var groups: Groups { Groups(client: self) }

    /// Has the gateway change a conversation, and merges its answer.
    func change<R: Request>(
        _ request: R
    ) async throws(ClientError) -> ConversationSummary where R.Reply == Conversation {
        let conversation = try await context.gateway.ask(request)
        try context.conversationUpdates.check(conversation)
        context.conversationUpdates.merge(conversation)
        return try context.following.summary(conversation.id)
    }

    /// Groups: making them, who is in them, what they are called: ``MessagingClient/groups``.
    ///
    /// The gateway decides about each change; its answer is merged here, and it informs the user's other devices.
    public struct Groups: Sendable {
        let client: MessagingClient

        /// Makes a group of the user and at most nine others.
        ///
        /// - Parameter name: at most 100 characters.
        /// - Throws: ``ClientError/refused(_:)``, as all that follow; ``ClientError/gatewayFault(_:)`` for another
        ///   group than was asked for, or one with somebody whom nobody invited.
        public func create(name: String?, with users: [UserID]) async throws(ClientError) -> ConversationSummary {
            try await client.perform { context throws(ClientError) in
                try await context.making.group(name: name, with: users)
            }
        }

        /// - Parameter name: `nil` takes the group's name away.
        @discardableResult
        public func rename(
            _ conversation: ConversationID, to name: String?
        ) async throws(ClientError) -> ConversationSummary {
            try await client.change(UpdateConversation(conversation: conversation, renamedTo: name))
        }

        @discardableResult
        public func add(
            _ users: [UserID], to conversation: ConversationID
        ) async throws(ClientError) -> ConversationSummary {
            try await client.change(AddMembers(conversation: conversation, users: users))
        }

        @discardableResult
        public func remove(
            _ user: UserID, from conversation: ConversationID
        ) async throws(ClientError) -> ConversationSummary {
            try await client.change(RemoveMember(conversation: conversation, user: user))
        }

        @discardableResult
        public func setRole(
            _ role: MemberRole, of user: UserID, in conversation: ConversationID
        ) async throws(ClientError) -> ConversationSummary {
            try await client.change(SetRole(conversation: conversation, user: user, role: role))
        }

        /// The user is no member any more. What is kept of the conversation stays readable.
        public func leave(_ conversation: ConversationID) async throws(ClientError) {
            try await client.perform { context throws(ClientError) in
                try await context.gateway.ask(LeaveConversation(conversation: conversation))
                context.conversationUpdates.remove(conversation)
            }
        }
    }
}
