import ParleyProtocol

/// A notification that is to be given to somebody.
package struct NewNotification: Hashable, Sendable {
    package let type: NotificationType
    /// Who has caused it; `nil` where nobody has. Whom the recipient has blocked causes none.
    package let actor: UserID?
    package let subject: NotificationSubject
    /// What it has in common with its repeats: of two with the same key, one recipient gets one.
    package let key: String
    /// How long it keeps its repeats away; `nil` for as long as it is kept itself.
    package let pause: Duration?

    /// The conversation whose muting by the recipient silences it; `nil` where none does. What somebody has to answer
    /// or may have waited for comes nevertheless.
    package var mutedWith: ConversationID? { type.isSilencedByMuting ? subject.conversation : nil }

    /// Whether the one with the same key that is unread tells of this one instead. Its key is free when it was read.
    package var refreshesUnread: Bool { key.hasPrefix(NewNotification.unreadKeyPrefix) }

    /// What the keys begin with that keep repeats away only until the notification was read.
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
    /// Whether whoever mutes a conversation wants to hear nothing of this in it.
    package var isSilencedByMuting: Bool {
        switch self {
        case .reaction: true
        case .newMember, .rankChange, .weekEnded, .messageRequest, .challengeReceived, .challengeAccepted,
            .challengeDeclined, .challengeCancelled, .challengeExpired, .challengeCompleted:
            false
        }
    }

    /// Whether it asks its recipient for something, which only they can do.
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
    /// Somebody has come into a group.
    ///
    /// - Parameter conversation: the group's.
    package static func newMember(
        _ member: UserID, in group: GroupID, conversation: ConversationID? = nil
    ) -> NewNotification {
        NewNotification(
            .newMember, by: member, NotificationSubject(conversation: conversation, group: group),
            key: "\(group)/\(member)")
    }

    /// Somebody has passed the recipient on a board: at most one an hour and board, whoever it was.
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

    /// A week of a group has ended.
    package static func weekEnded(_ week: String, in group: GroupID) -> NewNotification {
        NewNotification(.weekEnded, by: nil, NotificationSubject(group: group, week: week), key: "\(group)/\(week)")
    }

    /// What can become of a challenge.
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

    /// Something has become of a challenge.
    ///
    /// - Parameter actor: who has done it, or the other of the two where time has.
    package static func challenge(
        _ step: ChallengeStep, _ challenge: ChallengeID, in conversation: ConversationID, by actor: UserID?
    ) -> NewNotification {
        NewNotification(
            step.type, by: actor, NotificationSubject(conversation: conversation, challenge: challenge),
            key: "\(challenge)")
    }

    /// Somebody asks to write to the recipient.
    package static func messageRequest(by sender: UserID, in conversation: ConversationID) -> NewNotification {
        NewNotification(
            .messageRequest, by: sender, NotificationSubject(conversation: conversation), key: "\(conversation)")
    }

    /// Somebody has reacted to a message of the recipient's: one that is unread for each of them and conversation,
    /// which is of the message that was last reacted to.
    ///
    /// - Parameter seq: the place of the message in its log.
    package static func reaction(
        by user: UserID, to message: MessageID, at seq: Int, in conversation: ConversationID
    ) -> NewNotification {
        NewNotification(
            .reaction, by: user, NotificationSubject(conversation: conversation, seq: seq, message: message),
            key: "unread/\(conversation)/\(user)")
    }

    /// Somebody has reacted to an item of the recipient's activity: once for each of them and item.
    package static func reaction(by user: UserID, to activity: ActivityID) -> NewNotification {
        NewNotification(.reaction, by: user, NotificationSubject(activity: activity), key: "\(activity)/\(user)")
    }
}
