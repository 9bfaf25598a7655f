import ParleyProtocol

/// Subscriptions to the training groups that this device knows. The broker grants them to members only.
struct GroupWatch {
    let logs: ConversationLogs, signals: Signals, device: DeviceAddress, gateway: GatewayAccess, hub: EventHub
    let conversationUpdates: ConversationUpdates, leaderboardReader: LeaderboardReader

    /// Makes a request about a group, and subscribes to the group.
    nonisolated(nonsending) func group<R: Request>(
        _ id: GroupID, by request: R
    ) async throws(ClientError) -> TrainingGroup where R.Reply == TrainingGroup {
        let group = try await gateway.ask(request)
        try check(group, asked: id)
        try watch(group)
        return group
    }

    /// Makes a request that removes the user from a group, and unsubscribes.
    ///
    /// - Returns: the group without the user.
    nonisolated(nonsending) func leave<R: Request>(
        _ id: GroupID, by request: R
    ) async throws(ClientError) -> TrainingGroup where R.Reply == TrainingGroup {
        let group = try await gateway.ask(request)
        switch group.fault(for: device.user, asked: id) {
        case .foreignGroup?: end(id)
        case let fault?: throw gateway.report(fault)
        case nil: throw .malformedReply
        }
        return group
    }

    /// Subscribes to a group of the user.
    ///
    /// - Throws: ``ClientError/gatewayFault(_:)``, which is reported, for an impossible group, or more groups than a
    ///   user can have.
    func watch(_ group: TrainingGroup) throws(ClientError) {
        try check(group)
        guard signals.watchGroup(group.id) else { throw gateway.report(.endless) }
        gateway.connection.subscribe(to: topic(of: group.id))
    }

    private func check(_ group: TrainingGroup, asked id: GroupID? = nil) throws(ClientError) {
        if let fault = group.fault(for: device.user, asked: id) { throw gateway.report(fault) }
    }

    /// The user is no longer a member.
    ///
    /// - Returns: whether the group was known.
    @discardableResult
    func end(_ group: GroupID) -> Bool {
        let conversation = ConversationID(of: group)
        // The conversation may have ended first; its messages stay.
        let isKnown = logs[conversation] != nil
        let wasWatched = unwatch(group)
        conversationUpdates.remove(conversation)
        return wasWatched || isKnown
    }

    func handle(_ joining: GroupJoined) {
        if (try? watch(joining.group)) != nil { hub.emit(.gateway(joining)) }
    }

    func handle(_ update: GroupUpdated) {
        if (try? check(update.group)) != nil { hub.emit(.gateway(update)) }
    }

    func handle(_ deletion: GroupDeleted) {
        // Groups that were never known are ignored.
        if end(deletion.group) { hub.emit(.gateway(deletion)) }
    }

    /// The user has left a conversation, and with it its group, if any.
    func handleRemoval(of conversation: ConversationID) {
        unwatch(GroupID(conversation.value))
    }

    /// The broker only falls silent: the gateway's refusal ends the streams of its leaderboards.
    @discardableResult
    private func unwatch(_ group: GroupID) -> Bool {
        gateway.connection.unsubscribe(from: topic(of: group))
        for channel in [GroupChannel.checkIns, .streak] { leaderboardReader.checkAccess(to: group, channel) }
        return signals.unwatchGroup(group)
    }

    private func topic(of group: GroupID) -> String { Topic.group(group, .events).name }
}

extension TrainingGroup {
    /// The fault of a group that no honest gateway sends. A group's conversation has the group's UUID, so that no other
    /// can take its place.
    ///
    /// - Parameters:
    ///   - user: the device's own.
    ///   - asked: the requested group; `nil` if it was not requested by its id.
    func fault(for user: UserID, asked: GroupID?) -> GatewayFaultError? {
        if let asked, asked != id { return .otherGroup(id) }
        guard conversation == ConversationID(of: id) else { return .otherConversation(conversation) }
        return members.contains { $0.user == user } ? nil : .foreignGroup(conversation)
    }
}
