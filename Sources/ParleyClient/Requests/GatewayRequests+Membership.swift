import ParleyProtocol

// How a conversation is called, who is in it, and how its caller wants it treated.

extension GatewayRequests {
    /// Changes what is named, and nothing else.
    ///
    /// - Returns: the conversation as it stands, as in all that follow.
    @discardableResult
    public func update(_ change: UpdateConversation) async throws(RequestError) -> ReceivedConversation {
        try await ask(change)
    }

    /// - Parameter name: `nil` takes the name away.
    @discardableResult
    public func rename(
        _ conversation: ConversationID, to name: String?
    ) async throws(RequestError) -> ReceivedConversation {
        let change: FieldChange<String> = name.map { .set($0) } ?? .cleared
        return try await update(UpdateConversation(conversation: conversation, name: change))
    }

    /// Raises no notifications, until a time or for good; `.off` ends that.
    @discardableResult
    public func mute(
        _ conversation: ConversationID, _ muting: ConversationPreferences.Muting = .forever
    ) async throws(RequestError) -> ReceivedConversation {
        switch muting {
        case .off: try await update(UpdateConversation(conversation: conversation, isMuted: false))
        case .forever: try await update(UpdateConversation(conversation: conversation, isMuted: true))
        case .until(let end): try await update(UpdateConversation(conversation: conversation, mutedUntil: .set(end)))
        }
    }

    /// Puts a conversation away; the next message in it brings it back.
    @discardableResult
    public func archive(
        _ conversation: ConversationID, _ isArchived: Bool = true
    ) async throws(RequestError) -> ReceivedConversation {
        try await update(UpdateConversation(conversation: conversation, isArchived: isArchived))
    }

    /// Marks a conversation as unread by hand, until it is read again.
    @discardableResult
    public func markUnread(
        _ conversation: ConversationID, _ isUnread: Bool = true
    ) async throws(RequestError) -> ReceivedConversation {
        try await update(UpdateConversation(conversation: conversation, isUnread: isUnread))
    }

    @discardableResult
    public func add(
        _ users: [UserID], to conversation: ConversationID
    ) async throws(RequestError) -> ReceivedConversation {
        try await ask(AddMembers(conversation: conversation, users: users))
    }

    @discardableResult
    public func remove(
        _ user: UserID, from conversation: ConversationID
    ) async throws(RequestError) -> ReceivedConversation {
        try await ask(RemoveMember(conversation: conversation, user: user))
    }

    @discardableResult
    public func setRole(
        _ role: MemberRole, of user: UserID, in conversation: ConversationID
    ) async throws(RequestError) -> ReceivedConversation {
        try await ask(SetRole(conversation: conversation, user: user, role: role))
    }

    /// The caller is no member any more.
    public func leave(_ conversation: ConversationID) async throws(RequestError) {
        try await carryOut(LeaveConversation(conversation: conversation))
    }
}
