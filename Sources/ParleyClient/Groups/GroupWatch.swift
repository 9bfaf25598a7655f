import ParleyProtocol

/// Hears what becomes of the groups that this device knows of. The broker lets members hear, and nobody else.
struct GroupWatch {
    let logs: ConversationLogs, signals: Signals, device: DeviceAddress, gateway: GatewayAccess, hub: EventHub
    let conversationUpdates: ConversationUpdates, leaderboardReader: LeaderboardReader

    /// Asks for something of a group, and hears of it from now on.
    nonisolated(nonsending) func group<R: Request>(
        _ id: GroupID, by request: R
    ) async throws(ClientError) -> TrainingGroup where R.Reply == TrainingGroup {
        let group = try await gateway.ask(request)
        try check(group, asked: id)
        try watch(group)
        return group
    }

    /// Asks to take the user out of a group, and hears of it no more.
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

    /// Hears of a group of the user's.
    ///
    /// - Throws: ``ClientError/gatewayFault(_:)`` for what no group of the user's can be, and for more groups than
    ///   anybody is in, which is reported.
    func watch(_ group: TrainingGroup) throws(ClientError) {
        try check(group)
        guard signals.hear(of: group.id) else { throw gateway.report(.endless) }
        gateway.connection.subscribe(to: topic(of: group.id))
    }

    private func check(_ group: TrainingGroup, asked id: GroupID? = nil) throws(ClientError) {
        if let fault = group.fault(for: device.user, asked: id) { throw gateway.report(fault) }
    }

    /// The user is no member any more.
    ///
    /// - Returns: whether the device knew of it.
    @discardableResult
    func end(_ group: GroupID) -> Bool {
        let conversation = ConversationID(of: group)
        // The conversation may have ended first; what is kept of it stays.
        let isKnown = logs[conversation] != nil
        let wasHeard = stopHearing(group)
        conversationUpdates.remove(conversation)
        return wasHeard || isKnown
    }

    func handle(_ joining: GroupJoined) {
        if (try? watch(joining.group)) != nil { hub.emit(.gateway(joining)) }
    }

    func handle(_ update: GroupUpdated) {
        if (try? check(update.group)) != nil { hub.emit(.gateway(update)) }
    }

    func handle(_ deletion: GroupDeleted) {
        // What the device has never heard of cannot be over for it.
        if end(deletion.group) { hub.emit(.gateway(deletion)) }
    }

    /// A conversation is the user's no more, and if it was a group's, neither is that.
    func handleRemoval(of conversation: ConversationID) {
        stopHearing(GroupID(conversation.value))
    }

    /// Whoever watches its boards is told so by the gateway's answer: the broker only falls silent.
    @discardableResult
    private func stopHearing(_ group: GroupID) -> Bool {
        gateway.connection.unsubscribe(from: topic(of: group))
        for channel in [GroupChannel.checkIns, .streak] { leaderboardReader.checkAccess(to: group, channel) }
        return signals.stopHearing(of: group)
    }

    private func topic(of group: GroupID) -> String { Topic.group(group, .events).name }
}

extension TrainingGroup {
    /// What of this an honest gateway does not say. A group has a conversation under its own UUID, so that none can be
    /// passed off as another's.
    ///
    /// - Parameters:
    ///   - user: the device's own.
    ///   - asked: the group that was asked for; `nil` if it was not asked for by its id.
    func fault(for user: UserID, asked: GroupID?) -> GatewayFaultError? {
        if let asked, asked != id { return .otherGroup(id) }
        guard conversation == ConversationID(of: id) else { return .otherConversation(conversation) }
        return members.contains { $0.user == user } ? nil : .foreignGroup(conversation)
    }
}
