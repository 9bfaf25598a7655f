import ParleyProtocol

extension MessagingClient {
    /// Other people: whom the user follows and blocks, and who is there.
    public nonisolated var people: People { People(client: self) }

    /// Other people: whom the user follows and blocks, and who is there: ``MessagingClient/people``.
    ///
    /// All but ``presence(of:)`` is the gateway's to answer: without a connection these calls fail.
    public struct People: Sendable {
        let client: MessagingClient

        /// - Returns: the user's own counts after the change, as in all four.
        @discardableResult
        public func follow(_ user: UserID) async throws(ClientError) -> FollowCounts {
            try await client.ask(Follow(user: user))
        }

        @discardableResult
        public func unfollow(_ user: UserID) async throws(ClientError) -> FollowCounts {
            try await client.ask(Unfollow(user: user))
        }

        /// Ends what is delivered between the two in direct conversations. In groups both stay members: the app hides
        /// what the other one says. The other one does not hear of it.
        @discardableResult
        public func block(_ user: UserID) async throws(ClientError) -> FollowCounts {
            try await client.ask(Block(user: user))
        }

        @discardableResult
        public func unblock(_ user: UserID) async throws(ClientError) -> FollowCounts {
            try await client.ask(Unblock(user: user))
        }

        /// - Parameter user: whose; `nil` for the user's own, as in ``following(of:page:)``.
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

        /// Whom the user has blocked.
        public func blocked(page: Page = Page()) async throws(ClientError) -> ListPage<ListedPerson> {
            try await client.ask(ListBlocked(page: page))
        }

        /// Whether a message of the user's would be accepted, and why.
        public func canMessage(_ user: UserID) async throws(ClientError) -> PermissionReply {
            try await client.ask(CanMessage(user: user))
        }

        /// How a user shows themselves.
        public func profile(of user: UserID) async throws(ClientError) -> ShownProfile {
            try await client.ask(GetProfile(user: user))
        }

        /// Whether a user is there, as far as they let the user know; `nil` while nothing was heard of it, as without a
        /// connection. From then on the event ``ClientEvent/presence(_:)`` follows each change.
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
        ///   - evidence: what of a message the user chooses to reveal, as JSON, at most 96 KiB; the gateway cannot read
        ///     the message itself.
        @discardableResult
        public func report(
            _ subject: CreateReport.Subject, reason: String, evidence: [UInt8]? = nil
        ) async throws(ClientError) -> ReportReceipt {
            try await client.ask(CreateReport(id: .random(), reason: reason, subject: subject, evidence: evidence))
        }
    }
}
