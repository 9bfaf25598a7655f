import ParleyProtocol

extension MessagingClient {
    /// Other users: follows, blocks, profiles and presence.
    public nonisolated var people: People { People(client: self) }

    /// Other users: follows, blocks, profiles and presence: ``MessagingClient/people``.
    ///
    /// The gateway answers all but ``presence(of:)``: without a connection these calls fail.
    public struct People: Sendable {
        let client: MessagingClient

        /// - Returns: the user's own counts after the change, as in the next three.
        @discardableResult
        public func follow(_ user: UserID) async throws(ClientError) -> FollowCounts {
            try await client.ask(Follow(user: user))
        }

        @discardableResult
        public func unfollow(_ user: UserID) async throws(ClientError) -> FollowCounts {
            try await client.ask(Unfollow(user: user))
        }

        /// Stops direct messages between the two. In groups both stay members, and the app hides the other user's
        /// messages. The other user is not told.
        @discardableResult
        public func block(_ user: UserID) async throws(ClientError) -> FollowCounts {
            try await client.ask(Block(user: user))
        }

        @discardableResult
        public func unblock(_ user: UserID) async throws(ClientError) -> FollowCounts {
            try await client.ask(Unblock(user: user))
        }

        /// - Parameter user: `nil` for the user's own, as in ``following(of:page:)``.
        public func followers(
            of user: UserID? = nil, page: Page = Page()
        ) async throws(ClientError) -> ListPage<ListedPerson> {
            try await client.ask(ListFollowers(of: user, page: page))
        }

        public func following(
            of user: UserID? = nil, page: Page = Page()
        ) async throws(ClientError) -> ListPage<ListedPerson> {
            try await client.ask(ListFollowing(of: user, page: page))
        }

        /// The users that the user has blocked.
        public func blocked(page: Page = Page()) async throws(ClientError) -> ListPage<ListedPerson> {
            try await client.ask(ListBlocked(page: page))
        }

        /// Whether the user may write to another user, and why.
        public func canMessage(_ user: UserID) async throws(ClientError) -> PermissionReply {
            try await client.ask(CanMessage(user: user))
        }

        /// Another user's profile.
        public func profile(of user: UserID) async throws(ClientError) -> ShownProfile {
            try await client.ask(GetProfile(user: user))
        }

        /// Changes fields of the user's own profile; those that are not named stay.
        @discardableResult
        public func changeProfile(_ change: ProfileChange) async throws(ClientError) -> ShownProfile {
            try await client.ask(change)
        }

        /// A user's presence, as far as they share it; `nil` before the first update. From then on
        /// ``ClientEvent/presence(_:)`` reports each change.
        public func presence(of user: UserID) async -> PresenceUpdate? {
            await client.perform { context in
                context.presence.watch(user)
                return context.signals.presence(of: user)
            }
        }

        /// Reports a person, or a message, to the operators.
        ///
        /// - Parameters:
        ///   - reason: in the user's words, at most 1000 characters.
        ///   - evidence: the parts of a message that the user reveals, as JSON, at most 96 KiB; the gateway cannot read
        ///     the message itself.
        @discardableResult
        public func report(
            _ subject: CreateReport.Subject, reason: String, evidence: [UInt8]? = nil
        ) async throws(ClientError) -> ReportReceipt {
            try await client.ask(CreateReport(id: .random(), reason: reason, subject: subject, evidence: evidence))
        }
    }
}
