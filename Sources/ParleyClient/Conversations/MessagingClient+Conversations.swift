import ParleyDeviceStore
import ParleyProtocol

extension MessagingClient {
    /// Everything that this device knows of, the last active first, without those that are not open.
    public func conversations() -> [ConversationSummary] {
        known.keys.compactMap(summary).filter(\.isOpen).sorted { one, other in
            (one.lastActivity, one.id) > (other.lastActivity, other.id)
        }
    }

    /// The direct conversation with a user, which is made if there is none.
    ///
    /// Where that user's message request waits it is there and not open: a message accepts the request.
    ///
    /// - Throws: ``ClientError/refused(_:)`` with `not_found` for a user who does not exist. Without a connection only a
    ///   conversation that is known can be had.
    public func conversation(with user: UserID) async throws(ClientError) -> ConversationSummary {
        let known = known.values.first { entry in
            entry.isMember && entry.object?.type == .known(.direct) && entry.members.contains(user)
                && user != device.user
        }
        if let known, let summary = summary(known.id), known.isFollowed || !known.isOpen { return summary }
        let made = try await ask { (gateway) async throws(RequestError) in
            try await gateway.createDirectConversation(with: user)
        }
        guard made.type == .known(.direct), made.id == .direct(device.user, user) else {
            throw refuse(.otherConversation(made.id))
        }
        return try await followMade(made)
    }

    /// Makes a group of the user and at most nine others.
    ///
    /// - Parameter name: at most 100 characters.
    public func createGroup(name: String?, with users: [UserID]) async throws(ClientError) -> ConversationSummary {
        let id = ConversationID.random()
        let made = try await ask { (gateway) async throws(RequestError) in
            try await gateway.createGroup(id: id, name: name, participants: users)
        }
        guard made.type == .known(.group), made.id == id else { throw refuse(.otherConversation(made.id)) }
        let invited = Set(users + [device.user])
        try refuseUninvited(made.members.map(\.user), in: id, but: invited)
        let group = try await followMade(made)
        // It was asked for once more, and that answer is the one that counts.
        try refuseUninvited(group.members.map(\.user), in: id, but: invited)
        return group
    }

    private func refuseUninvited(
        _ members: [UserID], in id: ConversationID, but invited: Set<UserID>
    ) throws(ClientError) {
        let uninvited = Set(members).subtracting(invited)
        guard uninvited.isEmpty else { throw refuse(.uninvited(id, uninvited.sorted())) }
    }

    /// A conversation by its id, and follows it.
    ///
    /// - Throws: ``ClientError/refused(_:)`` with `not_found` for one that the user may not see.
    public func conversation(_ id: ConversationID) async throws(ClientError) -> ConversationSummary {
        if known[id]?.isFollowed != true || known[id]?.object == nil { try await follow(id) }
        guard let summary = summary(id) else { throw .unknownConversation(id) }
        return summary
    }

    /// Tells of a fault, and gives it as an error.
    func refuse(_ fault: GatewayFault) -> ClientError {
        tell(fault)
        return .gatewayFault(fault)
    }

    /// - Throws: ``ClientError/gatewayFault(_:)`` for what cannot be so, which is told.
    func check(_ conversation: ReceivedConversation) throws(ClientError) {
        let known = known[conversation.id]?.object
        if let fault = conversation.fault(for: device.user, known: known) { throw refuse(fault) }
    }

    private func followMade(_ made: ReceivedConversation) async throws(ClientError) -> ConversationSummary {
        try check(made)
        if known[made.id]?.isFollowed != true {
            subscribe(to: made.id)
            do throws(ClientError) {
                // What was sent before the subscription stood is not in `last_seq`: it is asked for after it.
                try await follow(made.id)
            } catch {
                guard error.isLackOfAccess, made.type == .known(.direct) else { throw error }
                close(made)
            }
        } else {
            learn(made)
        }
        guard let summary = summary(made.id) else { throw .unknownConversation(made.id) }
        return summary
    }

    /// The other one's message request waits there: it is the user's to write in, and not to hear.
    private func close(_ made: ReceivedConversation) {
        var entry = known[made.id] ?? FollowedConversation(made.id)
        entry.object = made
        entry.membership = .unanswered
        known[made.id] = entry
        unsubscribe(from: made.id)
        keep(made.id)
    }

    /// `nil` for a conversation of which only the id is known.
    func summary(_ id: ConversationID) -> ConversationSummary? {
        guard let entry = known[id], let object = entry.object else { return nil }
        return ConversationSummary(
            id: id, type: object.type, name: object.name, members: object.members, updatedAt: object.updatedAt,
            lastMessage: newest(in: id), unreadCount: entry.unread.count, lastReadSeq: entry.unread.readSeq,
            isMember: entry.isMember, preferences: entry.preferences, isOpen: entry.isOpen)
    }

    private func newest(in id: ConversationID) -> ChatMessage? {
        if let waiting = try? waitingMessages(in: id).last { return waiting }
        guard case .whole(let stored)? = try? read({ try $0.messages(in: id, ChapterAnchor.newest, limit: 1).last })
        else { return nil }
        return KeptMessage(stored).map(chatMessage)
    }
}

extension ConversationSummary {
    /// When something last happened in it.
    fileprivate var lastActivity: Timestamp { max(updatedAt, lastMessage?.createdAt ?? updatedAt) }
}
