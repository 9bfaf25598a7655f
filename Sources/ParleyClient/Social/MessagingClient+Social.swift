import ParleyProtocol

// Whom the user follows and blocks. All of it is the gateway's to say: without a connection it is not answered.

extension MessagingClient {
    /// - Returns: the user's own counts as they stand, as in all four.
    @discardableResult
    public func follow(_ user: UserID) async throws(ClientError) -> FollowCounts {
        try await context.ask { (gateway) async throws(RequestError) in try await gateway.follow(user) }
    }

    @discardableResult
    public func unfollow(_ user: UserID) async throws(ClientError) -> FollowCounts {
        try await context.ask { (gateway) async throws(RequestError) in try await gateway.unfollow(user) }
    }

    /// Ends what is delivered between the two in direct conversations. In groups both stay members: the app hides what
    /// the other one says. He is not told.
    @discardableResult
    public func block(_ user: UserID) async throws(ClientError) -> FollowCounts {
        try await context.ask { (gateway) async throws(RequestError) in try await gateway.block(user) }
    }

    @discardableResult
    public func unblock(_ user: UserID) async throws(ClientError) -> FollowCounts {
        try await context.ask { (gateway) async throws(RequestError) in try await gateway.unblock(user) }
    }

    /// - Parameter user: whose; `nil` for the user's own, as in ``following(of:page:)``.
    public func followers(
        of user: UserID? = nil, page: Page = Page()
    ) async throws(ClientError) -> ReceivedPage<ListedPerson> {
        try await context.ask { (gateway) async throws(RequestError) in
            try await gateway.followers(of: user, page: page)
        }
    }

    public func following(
        of user: UserID? = nil, page: Page = Page()
    ) async throws(ClientError) -> ReceivedPage<ListedPerson> {
        try await context.ask { (gateway) async throws(RequestError) in
            try await gateway.following(of: user, page: page)
        }
    }

    /// Whom the user has blocked.
    public func blocked(page: Page = Page()) async throws(ClientError) -> ReceivedPage<ListedPerson> {
        try await context.ask { (gateway) async throws(RequestError) in try await gateway.blocked(page: page) }
    }

    /// Whether a message of the user's would be taken, and why.
    public func canMessage(_ user: UserID) async throws(ClientError) -> ReceivedPermission {
        try await context.ask { (gateway) async throws(RequestError) in try await gateway.canMessage(user) }
    }

    /// Tells the operators of a person, or of a message.
    ///
    /// - Parameters:
    ///   - reason: in the user's words, at most 1000 characters.
    ///   - evidence: what of a message the user chooses to reveal, as JSON, at most 96 KiB; the gateway cannot read the
    ///     message itself.
    @discardableResult
    public func report(
        _ subject: CreateReport.Subject, reason: String, evidence: [UInt8]? = nil
    ) async throws(ClientError) -> FiledReport {
        let report = CreateReport(id: .random(), reason: reason, subject: subject, evidence: evidence)
        return try await context.ask { (gateway) async throws(RequestError) in try await gateway.report(report) }
    }
}
