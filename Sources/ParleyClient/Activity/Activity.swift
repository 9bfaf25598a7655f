import ParleyProtocol

extension MessagingClient {
    /// What the user and their friends have achieved.
    public nonisolated var activity: Activity { Activity(client: self) }

    /// Achievements of the user and their friends: ``MessagingClient/activity``.
    ///
    /// The gateway stores them and shows them to friends only: without a connection these calls fail.
    public struct Activity: Sendable {
        let client: MessagingClient

        /// Items, newest first.
        ///
        /// - Parameter user: the author; `nil` for the user and their friends.
        /// - Throws: ``ClientError/refused(_:)`` with `forbidden` for who is no friend.
        public func list(of user: UserID? = nil, page: Page = Page()) async throws(ClientError) -> ListPage<
            ActivityItem
        > {
            let list = try await client.ask(ListActivity(of: user, page: page))
            guard user == nil || list.items.allSatisfy({ $0.user == user }) else { throw .malformedReply }
            return list
        }

        /// Posts that the user has completed a plan or reached a goal.
        ///
        /// - Parameters:
        ///   - id: a repeat with the same id posts nothing twice.
        ///   - title: at most 100 characters.
        ///   - description: at most 1000 characters.
        ///   - metadata: a JSON object of at most 4 KiB, without objects or arrays in it.
        @discardableResult
        public func post(
            id: ActivityID = .random(), _ type: ActivityType.Posted, title: String, description: String? = nil,
            metadata: [UInt8] = PostActivity.noMetadata
        ) async throws(ClientError) -> ActivityItem {
            try await client.ask(
                PostActivity(id: id, type: type, title: title, description: description, metadata: metadata),
                for: id, \.id)
        }

        /// Reacts to an item of the user or a friend, replacing an earlier reaction.
        @discardableResult
        public func react(_ emoji: Emoji, to item: ActivityID) async throws(ClientError) -> ActivityItem {
            try await client.ask(ReactToActivity(id: item, emoji: emoji), for: item, \.id)
        }

        @discardableResult
        public func removeReaction(from item: ActivityID) async throws(ClientError) -> ActivityItem {
            try await client.ask(UnreactToActivity(id: item), for: item, \.id)
        }

        /// A friend's numbers, as far as they share them, and latest achievements.
        ///
        /// - Throws: ``ClientError/refused(_:)`` with `forbidden` for who is no friend.
        public func summary(of user: UserID) async throws(ClientError) -> FriendSummary {
            try await client.ask(GetSummary(user: user), for: user, \.user)
        }

        /// Subscribes to achievements of these users and reactions to them (``ClientEvent/gateway(_:)``), as long as
        /// they are the user, or friends: also friends that they become later.
        public func watch(_ users: [UserID]) async {
            await client.perform { context in context.activityWatch.watch(users) }
        }
    }
}
