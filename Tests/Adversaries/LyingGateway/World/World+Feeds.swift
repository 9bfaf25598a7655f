import ParleyProtocol

// Challenges, notifications and activity, as they really are.

extension World {
    // MARK: Challenges

    mutating func answerChallenge(_ request: any Request, _ user: UserID) throws(Rejection) -> Answer? {
        switch request {
        case let request as CreateChallenge:
            let challenge = Challenge(
                id: request.id, conversation: request.conversation, challenger: user, challenged: request.challenged,
                type: .known(request.type), target: request.target, durationDays: request.durationDays,
                status: .known(.pending), progress: [user: 0, request.challenged: 0], winner: nil, outcome: nil,
                createdAt: tick(), acceptedAt: nil, endsAt: nil)
            training.challenges[request.id] = challenge
            return .value(challenge)
        case let request as GetChallenge: return try .value(challenge(request.challenge))
        case let request as AcceptChallenge: return try .value(challenge(request.challenge))
        case let request as DeclineChallenge: return try .value(challenge(request.challenge))
        case let request as CancelChallenge: return try .value(challenge(request.challenge))
        case let request as ListChallenges:
            let all = training.challenges.values.filter {
                request.conversation == nil || $0.conversation == request.conversation
            }
            return .page(all.sorted { $0.id < $1.id }, next: nil)
        default: return nil
        }
    }

    private func challenge(_ id: ChallengeID) throws(Rejection) -> Challenge {
        guard let challenge = training.challenges[id] else { throw Rejection(.notFound, "There is no such challenge.") }
        return challenge
    }

    // MARK: Notifications and activity

    mutating func answerFeed(_ request: any Request, _ user: UserID) throws(Rejection) -> Answer? {
        switch request {
        case is ListNotifications:
            let items = [notification(of: training.groups.keys.min())]
            return .accepted { writer in
                writer.object { object in
                    object.member("items", array: items) { $1.write(to: &$0) }
                    object.member("next_cursor", nil as String?)
                    object.member("unread_count", items.count)
                }
            }
        case is MarkNotificationsRead: return .accepted { writer in writer.object { $0.member("unread_count", 0) } }
        case let request as PostActivity:
            let item = ActivityItem(
                id: request.id, user: user, type: .known(.goalReached), title: request.title,
                description: request.description, metadata: request.metadata, timestamp: tick(), reactions: [user: "👏"])
            training.activity.append(item)
            return .value(item)
        case let request as ListActivity:
            return .page(training.activity.filter { request.user == nil || $0.user == request.user }, next: nil)
        case let request as ReactToActivity: return try .value(item(request.id))
        case let request as UnreactToActivity: return try .value(item(request.id))
        case let request as GetSummary:
            let achievements = training.activity.filter { $0.user == request.user }
            return .accepted { writer in
                writer.object { object in
                    object.member("user_id", request.user)
                    FriendSummary.Numbers(
                        steps: 5, calories: 5, exerciseMinutes: 5, streakDays: 5, activeChallenges: 5
                    ).writeMembers(to: &object)
                    object.member("recent_achievements", array: achievements) { $1.write(to: &$0) }
                }
            }
        default: return nil
        }
    }

    func notification(of group: GroupID?) -> FeedNotification {
        FeedNotification(
            id: .random(), type: .known(.weekEnded), actor: nil,
            subject: NotificationSubject(group: group, board: "check-ins", week: "2026-W03"), badge: .counted(0),
            isRead: false, createdAt: now, expiresAt: .latest)
    }

    private func item(_ id: ActivityID) throws(Rejection) -> ActivityItem {
        guard let item = training.activity.first(where: { $0.id == id }) else {
            throw Rejection(.notFound, "There is no such item.")
        }
        return item
    }
}
