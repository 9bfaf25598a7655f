import ParleyProtocol

extension MessagingClient {
    /// What the user and their friends have achieved.
    public nonisolated var activity: Activity { Activity(client: self) }

    /// What the user and their friends have achieved: ``MessagingClient/activity``.
    ///
    /// It is the gateway's to keep and to show to friends alone: without a connection these calls fail.
    public struct Activity: Sendable {
        let client: MessagingClient

        /// The newest first.
        ///
        /// - Parameter user: whose; `nil` for the user's and their friends'.
        /// - Throws: ``ClientError/refused(_:)`` with `forbidden` for who is no friend.
        public func list(of user: UserID? = nil, page: Page = Page()) async throws(ClientError) -> ListPage<
            ActivityItem
        > {
            let list = try await client.ask(ListActivity(of: user, page: page))
            guard user == nil || list.items.allSatisfy({ $0.user == user }) else { throw .malformedReply }
            return list
        }

        /// Says that the user has completed a plan or reached a goal.
        ///
        /// - Parameters:
        ///   - id: the same for a repeat, which posts nothing twice.
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

        /// Reacts to an item of the user's or of a friend's, in the place of an earlier reaction.
        @discardableResult
        public func react(_ emoji: Emoji, to item: ActivityID) async throws(ClientError) -> ActivityItem {
            try await client.ask(ReactToActivity(id: item, emoji: emoji), for: item, \.id)
        }

        /// Takes the user's reaction back.
        @discardableResult
        public func removeReaction(from item: ActivityID) async throws(ClientError) -> ActivityItem {
            try await client.ask(UnreactToActivity(id: item), for: item, \.id)
        }

        /// How a friend does: numbers as far as they share them, and what they have achieved last.
        ///
        /// - Throws: ``ClientError/refused(_:)`` with `forbidden` for who is no friend.
        public func summary(of user: UserID) async throws(ClientError) -> FriendSummary {
            try await client.ask(GetSummary(user: user), for: user, \.user)
        }

        /// From now on ``ClientEvent/gateway(_:)`` follows what these users achieve and who reacts to it, as long as
        /// they are the user's friends, or the user. Who becomes a friend later is heard then.
        public func watch(_ users: [UserID]) async {
            await client.perform { context in context.activityWatch.watch(users) }
        }
    }
}
