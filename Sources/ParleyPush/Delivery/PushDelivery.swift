import ParleyProtocol

/// One notification on its way to one device: an attempt at it.
public struct PushDelivery: Hashable, Sendable {
    /// The registration that it goes to: a device that registers again has another.
    public let registration: Int64
    public let target: PushTarget
    public let notification: PushNotification
    /// What takes the place of earlier ones on the device: at most one of a conversation is shown.
    public let collapse: ConversationID?
    /// Whether it may wake people up; otherwise the service may wait until the device is awake anyway.
    public let isUrgent: Bool
    /// What time it is, for signatures and times to live.
    public let now: Timestamp

    public init(
        registration: Int64, target: PushTarget, notification: PushNotification, collapse: ConversationID?,
        isUrgent: Bool, now: Timestamp
    ) {
        self.registration = registration
        self.target = target
        self.notification = notification
        self.collapse = collapse
        self.isUrgent = isUrgent
        self.now = now
    }
}

/// What came of an attempt.
public struct PushOutcome: Hashable, Sendable {
    public let id: NotificationID
    public let registration: Int64
    public let answer: PushAnswer

    public init(id: NotificationID, registration: Int64, answer: PushAnswer) {
        self.id = id
        self.registration = registration
        self.answer = answer
    }
}

/// What a push service has answered, or why it has not.
public enum PushAnswer: Hashable, Sendable {
    /// It has taken the notification.
    case accepted(status: Int)
    /// The device is not to be reached by this registration any more, at least since then; `nil` where the service does
    /// not say.
    case ended(status: Int, since: Timestamp?)
    /// It will never take this notification: too large, malformed, a topic that is not ours.
    case refused(PushProblem)
    /// It may take it later, at the earliest after so long; `nil` where the service does not say.
    case later(PushProblem, after: Duration?)
    /// It was not sent, because others to the same service fail: it may be tried again then, and counts as no attempt.
    case notTried(after: Duration)
}

/// Why a notification was not taken: for people, without anything of its content.
public struct PushProblem: Hashable, Sendable, CustomStringConvertible {
    /// The HTTP status; `nil` where there was no answer.
    public let status: Int?
    /// At most 120 characters of printable ASCII.
    public let description: String
    /// Whether the service may have taken the notification: its answer was lost.
    public let isUncertain: Bool

    public init(status: Int?, _ description: String, isUncertain: Bool = false) {
        self.status = status
        self.description = String(
            decoding: description.utf8.prefix(120).map { (0x20...0x7E).contains($0) ? $0 : UInt8(ascii: "?") },
            as: UTF8.self)
        self.isUncertain = isUncertain
    }
}
