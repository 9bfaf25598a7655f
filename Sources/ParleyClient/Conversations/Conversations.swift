import ParleyProtocol

extension MessagingClient {
    /// The user's conversations and their preferences.
    public nonisolated var conversations: Conversations { Conversations(client: self) }

    /// The direct conversation with a user, created if there is none.
    ///
    /// If that user's message request waits, the conversation exists and is not open: a message accepts the request.
    ///
    /// - Throws: ``ClientError/refused(_:)`` with `not_found` for an unknown user. Without a connection only a known
    ///   conversation is available.
    public func conversation(with user: UserID) async throws(ClientError) -> ConversationSummary {
        try await context.making.direct(with: user)
    }

    /// Follows a conversation by its id.
    ///
    /// - Throws: ``ClientError/refused(_:)`` with `not_found` if the user has no access.
    public func conversation(_ id: ConversationID) async throws(ClientError) -> ConversationSummary {
        if context.logs[id]?.isFollowed != true || context.logs[id]?.object == nil {
            try await context.following.follow(id)
        }
        return try context.following.summary(id)
    }

    /// The user's conversations and their preferences: ``MessagingClient/conversations``.
    ///
    /// The gateway decides about each change, and informs the user's other devices.
    public struct Conversations: Sendable {
        let client: MessagingClient

        /// All open conversations, the most recently active first.
        public func all() async -> [ConversationSummary] {
            await client.perform { context in
                context.logs.all.map(\.id).compactMap(context.conversationUpdates.summary).filter(\.isOpen).sorted {
                    one, other in
                    (one.lastActivity, one.id) > (other.lastActivity, other.id)
                }
            }
        }

        /// Changes only the given fields.
        ///
        /// - Throws: ``ClientError/refused(_:)``, as the methods below.
        @discardableResult
        public func update(_ change: UpdateConversation) async throws(ClientError) -> ConversationSummary {
            try await client.change(change)
        }

        /// Raises no notifications until a time, or for good; `.off` ends that.
        @discardableResult
        public func mute(
            _ conversation: ConversationID, _ muting: ConversationPreferences.Muting = .forever
        ) async throws(ClientError) -> ConversationSummary {
            try await update(UpdateConversation(conversation: conversation, muting: muting))
        }

        /// Archives a conversation; the next message in it brings it back.
        @discardableResult
        public func archive(
            _ conversation: ConversationID, _ isArchived: Bool = true
        ) async throws(ClientError) -> ConversationSummary {
            try await update(UpdateConversation(conversation: conversation, isArchived: isArchived))
        }

        /// Marks a conversation as unread by hand, until it is read again.
        @discardableResult
        public func markUnread(
            _ conversation: ConversationID, _ isUnread: Bool = true
        ) async throws(ClientError) -> ConversationSummary {
            try await update(UpdateConversation(conversation: conversation, isUnread: isUnread))
        }
    }
}

extension UpdateConversation {
    /// Raises no notifications until a time, or for good; `.off` ends that.
    package init(conversation: ConversationID, muting: ConversationPreferences.Muting) {
        switch muting {
        case .off: self.init(conversation: conversation, isMuted: false)
        case .forever: self.init(conversation: conversation, isMuted: true)
        case .until(let end): self.init(conversation: conversation, mutedUntil: .set(end))
        }
    }

    /// - Parameter name: `nil` takes a group's name away.
    package init(conversation: ConversationID, renamedTo name: String?) {
        self.init(conversation: conversation, name: name.map { .set($0) } ?? .cleared)
    }
}

extension ConversationSummary {
    fileprivate var lastActivity: Timestamp { max(updatedAt, lastMessage?.createdAt ?? updatedAt) }
}
