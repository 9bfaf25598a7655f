// The meanings of notifications, for the tables of `docs/push.md`.

extension PushType {
    public var meaning: String {
        switch self {
        case .message: "a message has come"
        case .clear:
            "what is shown of the conversation up to `seq` is to be taken away: it is read, gone, or counts no more"
        case .digest: "something has come during the quiet hours that are over now, and not all is read"
        case .test: "an operator tries whether the device can be reached"
        case .wakeUp: "something has come; what, the app finds out when it connects"
        case .feed(let type): type.meaning
        }
    }
}

extension NotificationType {
    public var meaning: String {
        switch self {
        case .newMember: "somebody has come into a group of the user's"
        case .rankChange: "somebody has passed the user on a board"
        case .weekEnded: "a week of a group has ended"
        case .challengeReceived: "somebody has challenged the user"
        case .challengeAccepted: "a challenge was accepted"
        case .challengeDeclined: "a challenge was declined"
        case .challengeCancelled: "a challenge was taken back"
        case .challengeExpired: "a challenge was not answered in time"
        case .challengeCompleted: "a challenge is over"
        case .messageRequest: "somebody asks to write to the user"
        case .reaction: "somebody has reacted to a message of the user's, or to an item of their activity"
        }
    }
}
