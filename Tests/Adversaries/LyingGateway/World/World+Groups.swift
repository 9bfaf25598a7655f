import ParleyProtocol

/// What the gateway has of those who train together.
struct TrainingRecords: Sendable {
    var groups: [GroupID: TrainingGroup] = [:]
    var invites: [Invite] = []
    var challenges: [ChallengeID: Challenge] = [:]
    var activity: [ActivityItem] = []
    var boardVersion = 0
}

// Those who train together, as they really are; what is told of them goes through `fieldLies`.

extension World {
    /// - Returns: `nil` for a request about something else.
    mutating func answerTraining(_ request: any Request, from device: DeviceAddress) throws(Rejection) -> Answer? {
        let user = device.user
        if let answer = try answerGroup(request, user) { return answer }
        if let answer = try answerInvite(request, user) { return answer }
        if let answer = try answerBoard(request, user) { return answer }
        if let answer = try answerChallenge(request, user) { return answer }
        return try answerFeed(request, user)
    }

    // MARK: Groups

    private mutating func answerGroup(_ request: any Request, _ user: UserID) throws(Rejection) -> Answer? {
        switch request {
        case let request as CreateGroup:
            let id = request.id ?? .random()
            if let made = training.groups[id] { return .accepted { made.write(to: &$0) } }
            let thread = make(ConversationID(of: id), .group, name: request.name, [user])
            let group = TrainingGroup(
                id: id, name: request.name, conversation: thread.id, createdBy: user, createdAt: thread.createdAt,
                timeZone: request.timeZone ?? "UTC", members: [member(user, .admin)])
            training.groups[id] = group
            return .accepted { group.write(to: &$0) }
        case let request as GetGroup: return try .value(group(request.group))
        case let request as UpdateGroup: return try .value(group(request.group))
        case let request as RemoveGroupMember: return try .value(group(request.group))
        case let request as SetGroupRole: return try .value(group(request.group))
        case is ListGroups:
            let groups = training.groups.values.filter { $0.members.contains { $0.user == user } }
            return .value(GroupList(groups: groups.sorted { $0.id < $1.id }))
        case is LeaveGroup, is DeleteGroup: return .accepted { $0.object { _ in } }
        default: return nil
        }
    }

    private func member(_ user: UserID, _ role: MemberRole) -> Member {
        Member(user: user, username: user.text, role: .known(role), joinedAt: now)
    }

    private func group(_ id: GroupID) throws(Rejection) -> TrainingGroup {
        guard let group = training.groups[id] else { throw Rejection(.notFound, "There is no such group.") }
        return group
    }

    // MARK: Invites

    private mutating func answerInvite(_ request: any Request, _ user: UserID) throws(Rejection) -> Answer? {
        switch request {
        case let request as ListInvites:
            return tells(.endless(.invites))
                ? invites(request, of: user) : .page(training.invites.filter { $0.group == request.group }, next: nil)
        case let request as CreateInvite:
            let invite = Invite(
                id: request.id ?? .random(), group: request.group, expiresAt: .latest, usesLeft: request.uses,
                createdBy: user, createdAt: tick())
            training.invites.append(invite)
            guard let token = InviteToken(bytes: invite.id.value.bytes) else { return nil }
            return .value(invite.with(token, urlPrefix: InviteLink.prefix))
        case let request as RevokeInvite:
            guard let invite = training.invites.first(where: { $0.id == request.id }) else {
                throw Rejection(.notFound, "There is no such invite.")
            }
            return .value(invite)
        case is PreviewInvite:
            return .value(InvitePreview(name: "Morning run", memberCount: 1, invitedBy: user, inviterName: user.text))
        case is AcceptInvite:
            guard let group = training.groups.values.first else { throw Rejection(.inviteInvalid, "It opens nothing.") }
            return .value(group)
        default: return nil
        }
    }

    // MARK: Boards

    private mutating func answerBoard(_ request: any Request, _ user: UserID) throws(Rejection) -> Answer? {
        switch request {
        case let request as GetLeaderboard:
            return .value(board(of: request.group, request.type, week: request.week, user))
        case let request as LogWorkout:
            training.boardVersion += 1
            return .value(
                WorkoutReply(
                    id: request.id, week: World.thisWeek, checkIns: 1, streakDays: 1))
        case let request as DeleteWorkout:
            return .value(
                WorkoutReply(
                    id: request.id, week: World.thisWeek, checkIns: 0, streakDays: 0))
        default: return nil
        }
    }

    static let thisWeek = ISOWeek(of: CivilDay(daysSinceEpoch: 20_000))

    func board(of group: GroupID, _ type: LeaderboardType, week: ISOWeek? = nil, _ user: UserID) -> Leaderboard {
        Leaderboard(
            group: group, type: .known(type), week: week ?? World.thisWeek, startsAt: now,
            endsAt: now, closesAt: now, nextResetAt: now, version: training.boardVersion, isFinal: false,
            entries: [
                Leaderboard.Entry(
                    user: user, displayName: user.text, photoURL: nil, value: 1, rank: 1, previousRank: nil,
                    reachedAt: now)
            ])
    }
}

extension Answer {
    static func value(_ value: some GatewayObject) -> Answer { .accepted { value.write(to: &$0) } }
}
