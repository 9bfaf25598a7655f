import ParleyProtocol

// Whom one follows and blocks, and who may write to whom.

extension GatewayRequests {
    /// - Returns: the caller's counts as they stand, as in all four.
    @discardableResult
    public func follow(_ user: UserID) async throws(RequestError) -> FollowCounts { try await ask(Follow(user: user)) }

    @discardableResult
    public func unfollow(_ user: UserID) async throws(RequestError) -> FollowCounts {
        try await ask(Unfollow(user: user))
    }

    /// Ends what is delivered between the two in direct conversations. The other is not told.
    @discardableResult
    public func block(_ user: UserID) async throws(RequestError) -> FollowCounts { try await ask(Block(user: user)) }

    @discardableResult
    public func unblock(_ user: UserID) async throws(RequestError) -> FollowCounts {
        try await ask(Unblock(user: user))
    }

    /// - Parameter user: `nil` for the caller.
    public func followers(
        of user: UserID? = nil, page: Page = Page()
    ) async throws(RequestError) -> ReceivedPage<ListedPerson> {
        try await ask(ListFollowers(of: user, page: page))
    }

    /// - Parameter user: `nil` for the caller.
    public func following(
        of user: UserID? = nil, page: Page = Page()
    ) async throws(RequestError) -> ReceivedPage<ListedPerson> {
        try await ask(ListFollowing(of: user, page: page))
    }

    /// Whom the caller has blocked.
    public func blocked(page: Page = Page()) async throws(RequestError) -> ReceivedPage<ListedPerson> {
        try await ask(ListBlocked(page: page))
    }

    /// Whether a message of the caller's would be taken.
    public func canMessage(_ user: UserID) async throws(RequestError) -> ReceivedPermission {
        try await ask(CanMessage(user: user))
    }
}

// MARK: Message requests

extension GatewayRequests {
    /// Those who ask to write to the caller and wait for their answer.
    public func messageRequests(
        page: Page = Page()
    ) async throws(RequestError) -> ReceivedPage<ReceivedMessageRequest> {
        try await ask(ListRequests(page: page))
    }

    /// Lets somebody write.
    ///
    /// - Returns: the conversation, which is the caller's too from now on.
    public func acceptRequest(_ conversation: ConversationID) async throws(RequestError) -> ReceivedConversation {
        try await ask(AcceptRequest(conversation: conversation))
    }

    /// Puts a request away. Whoever asked is not told.
    public func declineRequest(_ conversation: ConversationID) async throws(RequestError) {
        try await carryOut(DeclineRequest(conversation: conversation))
    }
}

// MARK: Reports

extension GatewayRequests {
    /// Tells the operators of a message or a person.
    @discardableResult
    public func report(_ report: CreateReport) async throws(RequestError) -> FiledReport {
        try await ask(report)
    }
}
