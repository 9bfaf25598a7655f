import ParleyProtocol

extension MessagingClient {
    /// Group conversations: their creation, members and names.
    public nonisolated var groups: Groups { Groups(client: self) }

    /// Changes a conversation at the gateway, and merges its answer.
    func change<R: Request>(
        _ request: R
    ) async throws(ClientError) -> ConversationSummary where R.Reply == Conversation {
        let conversation = try await context.gateway.ask(request)
        try context.conversationUpdates.check(conversation)
        context.conversationUpdates.merge(conversation)
        return try context.following.summary(conversation.id)
    }

    /// Group conversations: their creation, members and names: ``MessagingClient/groups``.
    ///
    /// The gateway decides about each change, and informs the user's other devices.
    public struct Groups: Sendable {
        let client: MessagingClient

        /// Creates a group of the user and at most nine others.
        ///
        /// - Parameter name: at most 100 characters.
        /// - Throws: ``ClientError/refused(_:)``, as the methods below; ``ClientError/gatewayFault(_:)`` if the gateway
        ///   answers with another group, or adds members.
        public func create(name: String?, with users: [UserID]) async throws(ClientError) -> ConversationSummary {
            try await client.perform { context throws(ClientError) in
                try await context.making.group(name: name, with: users)
            }
        }

        /// - Parameter name: `nil` removes the name.
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

        /// Ends the user's membership. Stored messages stay readable.
        public func leave(_ conversation: ConversationID) async throws(ClientError) {
            try await client.perform { context throws(ClientError) in
                try await context.gateway.ask(LeaveConversation(conversation: conversation))
                context.conversationUpdates.remove(conversation)
            }
        }
    }
}
