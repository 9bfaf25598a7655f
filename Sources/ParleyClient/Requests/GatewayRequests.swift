import ParleyProtocol

/// What a device asks of its gateway, as Swift values (protocol §5).
///
/// Each waits for its reply, is repeated until there is one, and throws a ``RequestError``. A write that is made again,
/// with the same ids, does nothing twice.
public struct GatewayRequests: Sendable {
    private let connection: DeviceConnection
    /// How long each waits, being signed in or not.
    private let timeout: Duration

    public init(_ connection: DeviceConnection, timeout: Duration = .seconds(30)) {
        self.connection = connection
        self.timeout = timeout
    }

    func ask<R: Request>(_ request: R) async throws(RequestError) -> R.Reply where R.Reply: GatewayValue {
        try await reply(to: request).read()
    }

    /// Does what has no answer but that it is done, or none that is read.
    func carryOut(_ request: some Request) async throws(RequestError) {
        _ = try await reply(to: request).acceptedData()
    }

    private func reply(to request: some Request) async throws(RequestError) -> GatewayReply {
        do throws(RequestFailure) {
            return try await connection.request(request.operation, payload: request.payload(), timeout: timeout)
        } catch {
            throw .unanswered(error)
        }
    }

    private func tell(_ request: some Request) async throws(RequestError) {
        let refusal: GatewayReply?
        do throws(RequestFailure) {
            refusal = try await connection.notify(request.operation, payload: request.payload(), timeout: timeout)
        } catch {
            throw .unanswered(error)
        }
        if let rejection = refusal?.rejection { throw .refused(rejection) }
    }
}

// MARK: Messages

extension GatewayRequests {
    /// Sends a sealed message. One with `echoIsReply` is answered by its own event, as soon as the conversation's
    /// messages are subscribed to; while they are not, only by the reply to its first repeat.
    public func send(_ message: SendMessage) async throws(RequestError) -> SentMessage {
        let reply: GatewayReply
        do throws(RequestFailure) {
            reply = try await connection.send(message, timeout: timeout)
        } catch {
            throw .unanswered(error)
        }
        return try reply.read()
    }

    /// Edits or deletes a message, or reacts to one.
    public func change(_ change: ChangeMessage) async throws(RequestError) -> AcceptedChange {
        try await ask(change.request)
    }

    /// What the caller's conversations have after these cursors: a part of it.
    public func sync(_ request: SyncRequest) async throws(RequestError) -> ReceivedSync {
        try await ask(request)
    }

    /// A page of a conversation's log.
    public func history(_ request: GetHistory) async throws(RequestError) -> ReceivedHistory {
        try await ask(request)
    }

    /// - Returns: the watermark as it stands, which may be further on.
    public func mark(_ mark: MarkReceipt) async throws(RequestError) -> Watermark {
        try await ask(mark.request)
    }

    /// Says that the user writes. Only the broker answers, so that success says nothing of the gateway.
    public func startTyping(in conversation: ConversationID) async throws(RequestError) {
        try await tell(StartTyping(conversation: conversation))
    }

    public func stopTyping(in conversation: ConversationID) async throws(RequestError) {
        try await tell(StopTyping(conversation: conversation))
    }
}

// MARK: Conversations

extension GatewayRequests {
    /// The direct conversation with a user: made if there is none, and else the one that there is.
    public func createDirectConversation(with user: UserID) async throws(RequestError) -> ReceivedConversation {
        try await ask(CreateConversation(form: .direct, participants: [user]))
    }

    /// Makes a group of the caller and others.
    ///
    /// - Parameter id: chosen by the caller, and kept by them, so that a repeat makes no second group.
    public func createGroup(
        id: ConversationID, name: String?, participants: [UserID]
    ) async throws(RequestError) -> ReceivedConversation {
        try await ask(CreateConversation(form: .group(id: id, name: name), participants: participants))
    }

    public func conversation(_ id: ConversationID) async throws(RequestError) -> ReceivedConversation {
        try await ask(GetConversation(conversation: id))
    }

    /// The caller's conversations, the last active first. A page may hold fewer than `limit`, being bounded in bytes.
    public func conversations(
        limit: Int = 20, offset: Int = 0, archived: Bool = false
    ) async throws(RequestError) -> ConversationList {
        try await ask(ListConversations(limit: limit, offset: offset, archived: archived))
    }
}

// MARK: Devices and users

extension GatewayRequests {
    /// - Returns: what `keys/get` now says of the caller's own user.
    public func publishKeys(_ keys: PublishKeys) async throws(RequestError) -> UserKeys {
        try await ask(keys)
    }

    /// The public keys of every device of a user that has published any.
    public func keys(of user: UserID) async throws(RequestError) -> [DeviceKeys] {
        try await keyListing(of: user).devices
    }

    /// The account key of a user, if there is one, and the public keys of their devices.
    public func keyListing(of user: UserID) async throws(RequestError) -> UserKeys {
        try await ask(GetKeys(user: user))
    }

    /// The devices of the caller's own user.
    public func devices() async throws(RequestError) -> [ListedDevice] {
        try await ask(ListDevices()).devices
    }

    /// Ends a device of the caller's own user.
    ///
    /// - Returns: those that are left.
    public func revoke(_ device: DeviceID) async throws(RequestError) -> [ListedDevice] {
        try await ask(RevokeDevice(device: device)).devices
    }

    /// A new token for this device; the one before signs in until this one has, a day at most.
    public func renew() async throws(RequestError) -> DeviceCredentials {
        let data = try await reply(to: RenewDevice()).acceptedData()
        guard let credentials = DeviceCredentials(data) else { throw .unreadable(.field("data: no credentials")) }
        return credentials
    }

    /// - Parameter user: `nil` for the caller, who alone sees their settings.
    public func profile(of user: UserID? = nil) async throws(RequestError) -> ReceivedProfile {
        try await ask(GetProfile(user: user))
    }

    /// - Returns: the profile with the change made.
    public func setProfile(_ change: ProfileChange) async throws(RequestError) -> ReceivedProfile {
        try await ask(change)
    }
}
