import ParleyProtocol

/// One attempt to send a notification to a device.
package struct PushDelivery: Hashable, Sendable {
    /// The number of the registration: a device that registers again has another.
    package let registration: Int64
    package let target: PushTarget
    package let notification: PushNotification
    /// The collapse id: the device displays one notification of each.
    package let collapse: ConversationID?
    /// Whether the service wakes the device for it.
    package let isUrgent: Bool
    /// The time of day, for signatures and times to live.
    package let now: Timestamp

    package init(
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

/// The outcome of an attempt.
package struct PushOutcome: Hashable, Sendable {
    package let id: NotificationID
    package let registration: Int64
    package let answer: PushAnswer

    package init(id: NotificationID, registration: Int64, answer: PushAnswer) {
        (self.id, self.registration, self.answer) = (id, registration, answer)
    }
}

/// The answer of a push service, or why there is none.
package enum PushAnswer: Hashable, Sendable {
    case accepted(status: Int)
    /// The service no longer knows the registration, since then at least; `nil` where it does not say.
    case ended(status: Int, since: Timestamp?)
    /// The service will never accept this notification.
    case refused(PushProblem)
    /// The service may accept it later, after so long at the earliest; `nil` where it does not say.
    case later(PushProblem, after: Duration?)
    /// It was not sent, because the service is full or its breaker open. That is no attempt.
    case notTried(after: Duration)
}

/// Why a notification was not accepted, for people, without content.
package struct PushProblem: Hashable, Sendable, CustomStringConvertible {
    /// The HTTP status; `nil` where there was no answer.
    package let status: Int?
    /// At most 120 characters of printable ASCII.
    package let description: String
    /// Whether the service may have accepted the notification, because its answer was lost.
    package let isUncertain: Bool

    package init(status: Int?, _ description: String, isUncertain: Bool = false) {
        self.status = status
        self.description = String(
            decoding: description.utf8.prefix(120).map { (0x20...0x7E).contains($0) ? $0 : UInt8(ascii: "?") },
            as: UTF8.self)
        self.isUncertain = isUncertain
    }
}
