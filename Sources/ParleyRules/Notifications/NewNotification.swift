import ParleyProtocol

/// A notification before its recipient's feed is known.
package struct NewNotification: Hashable, Sendable {
    package let type: NotificationType
    /// The user who has caused it, if any. A blocked actor causes none.
    package let actor: UserID?
    package let subject: NotificationSubject
    /// That of its repeats: a recipient gets one notification for each key.
    package let key: String
    /// How long it suppresses repeats; `nil` for its lifetime.
    package let pause: Duration?

    /// The conversation whose muting by the recipient silences it.
    package var mutedWith: ConversationID? { type.isSilencedByMuting ? subject.conversation : nil }

    /// Whether it replaces an unread one with the same key. The key is free once that is read.
    package var refreshesUnread: Bool { key.hasPrefix(NewNotification.unreadKeyPrefix) }

    /// The prefix of keys that suppress repeats only until the notification is read.
    package static let unreadKeyPrefix = "\(NotificationType.reaction.rawValue)/unread/"

    private init(
        _ type: NotificationType, by actor: UserID?, _ subject: NotificationSubject, key: String,
        pause: Duration? = nil
    ) {
        self.type = type
        self.actor = actor
        self.subject = subject
        self.key = "\(type.rawValue)/\(key)"
        self.pause = pause
    }
}

extension NotificationType {
    /// Whether muting a conversation silences it.
    package var isSilencedByMuting: Bool {
        switch self {
        case .reaction: true
        case .newMember, .rankChange, .weekEnded, .messageRequest, .challengeReceived, .challengeAccepted,
            .challengeDeclined, .challengeCancelled, .challengeExpired, .challengeCompleted:
            false
        }
    }

    /// Whether it asks its recipient for an act.
    package var asksForSomething: Bool {
        switch self {
        case .messageRequest, .challengeReceived: true
        case .reaction, .newMember, .rankChange, .weekEnded, .challengeAccepted, .challengeDeclined,
            .challengeCancelled, .challengeExpired, .challengeCompleted:
            false
        }
    }
}

extension NewNotification {
    /// - Parameter conversation: the group's.
    package static func newMember(
        _ member: UserID, in group: GroupID, conversation: ConversationID? = nil
    ) -> NewNotification {
        NewNotification(
            .newMember, by: member, NotificationSubject(conversation: conversation, group: group),
            key: "\(group)/\(member)")
    }

    /// A user has passed the recipient on a board: at most one an hour and board.
    ///
    /// - Parameters:
    ///   - board: its type, `check-ins` or `streak`.
    ///   - week: as in `2026-W03`.
    package static func rankChange(
        onBoard board: String, of group: GroupID, week: String, passedBy user: UserID
    ) -> NewNotification {
        NewNotification(
            .rankChange, by: user, NotificationSubject(group: group, board: board, week: week),
            key: "\(group)/\(board)", pause: .seconds(3600))
    }

    package static func weekEnded(_ week: String, in group: GroupID) -> NewNotification {
        NewNotification(.weekEnded, by: nil, NotificationSubject(group: group, week: week), key: "\(group)/\(week)")
    }

    package enum ChallengeStep: Hashable, Sendable, CaseIterable {
        case received, accepted, declined, cancelled, expired, completed

        var type: NotificationType {
            switch self {
            case .received: .challengeReceived
            case .accepted: .challengeAccepted
            case .declined: .challengeDeclined
            case .cancelled: .challengeCancelled
            case .expired: .challengeExpired
            case .completed: .challengeCompleted
            }
        }
    }

    /// - Parameter actor: who has caused the step, or the other of the two where time has.
    package static func challenge(
        _ step: ChallengeStep, _ challenge: ChallengeID, in conversation: ConversationID, by actor: UserID?
    ) -> NewNotification {
        NewNotification(
            step.type, by: actor, NotificationSubject(conversation: conversation, challenge: challenge),
            key: "\(challenge)")
    }

    package static func messageRequest(by sender: UserID, in conversation: ConversationID) -> NewNotification {
        NewNotification(
            .messageRequest, by: sender, NotificationSubject(conversation: conversation), key: "\(conversation)")
    }

    /// A reaction to a message of the recipient's: one unread notification for each user and conversation, about the
    /// last message.
    ///
    /// - Parameter seq: of the message.
    package static func reaction(
        by user: UserID, to message: MessageID, at seq: Int, in conversation: ConversationID
    ) -> NewNotification {
        NewNotification(
            .reaction, by: user, NotificationSubject(conversation: conversation, seq: seq, message: message),
            key: "unread/\(conversation)/\(user)")
    }

    /// A reaction to an item of the recipient's activity: once for each user and item.
    package static func reaction(by user: UserID, to activity: ActivityID) -> NewNotification {
        NewNotification(.reaction, by: user, NotificationSubject(activity: activity), key: "\(activity)/\(user)")
    }
}
