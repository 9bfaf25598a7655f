import ParleyProtocol

struct ConversationCreation {
    let logs: ConversationLogs, device: DeviceAddress, gateway: GatewayAccess
    let conversationUpdates: ConversationUpdates, following: Following

    /// As ``MessagingClient/conversation(with:)``.
    nonisolated(nonsending) func direct(with user: UserID) async throws(ClientError) -> ConversationSummary {
        if let known = logs.direct(with: user), known.isFollowed || !known.isOpen,
            let summary = conversationUpdates.summary(known.id)
        {
            return summary
        }
        let made = try await gateway.ask(CreateConversation(form: .direct, participants: [user]))
        guard made.type == .known(.direct), made.id == .direct(device.user, user) else {
            throw gateway.report(.otherConversation(made.id))
        }
        return try await following.follow(made: made)
    }

    /// As ``MessagingClient/Groups/create(name:with:)``.
    nonisolated(nonsending) func group(
        name: String?, with users: [UserID]
    ) async throws(ClientError) -> ConversationSummary {
        // Chosen here, so that a repeated request makes no second group.
        let id = ConversationID.random()
        let made = try await gateway.ask(CreateConversation(form: .group(id: id, name: name), participants: users))
        guard made.type == .known(.group), made.id == id else { throw gateway.report(.otherConversation(made.id)) }
        let invited = Set(users + [device.user])
        try following.refuseUninvited(made.members.map(\.user), in: id, but: invited)
        let group = try await following.follow(made: made)
        // `follow` may have fetched it again, with other members.
        try following.refuseUninvited(group.members.map(\.user), in: id, but: invited)
        return group
    }
}
