import ParleyProtocol

/// Whether to notify a user, by push services and on the topic of notifications (protocol §7).
package enum PushRules {
    package enum Kind: Hashable, Sendable {
        /// - Parameter isUrgent: whether its sender has marked it as urgent.
        case message(isUrgent: Bool)
        /// An item of the recipient's feed.
        case feed(NotificationType)

        var isUrgent: Bool {
            switch self {
            case .message(let isUrgent): isUrgent
            case .feed: false
            }
        }
    }

    package enum Decision: Hashable, Sendable {
        case notify
        /// Until the recipient's quiet hours end, when one digest follows.
        case hold(until: Timestamp)
        case skip(Reason)
    }

    /// Skips by the first reason that holds, in the order of `Reason`. Where none does, quiet hours hold what is not
    /// urgent.
    package static func decide(_ facts: Facts) -> Decision {
        for reason in Reason.allCases where reason.holds(facts) { return .skip(reason) }
        if let end = facts.quietUntil, !facts.kind.isUrgent { return .hold(until: end) }
        return .notify
    }
}

extension PushRules {
    /// The facts about one recipient of a message or of an item of a feed.
    package struct Facts: Hashable, Sendable {
        package var kind: Kind
        /// Whether the recipient has sent or caused it.
        package var isOwn: Bool
        /// Whether they are in the conversation or group and were when it happened; `true` where there is none.
        package var isMember: Bool
        /// Whether a device of theirs is connected.
        package var isConnected: Bool
        /// The setting `push_always`.
        package var notifiesConnected: Bool
        /// Whether they have muted the conversation, and the mute has not expired.
        package var isMuted: Bool
        /// Whether they have blocked who has caused it; in a direct conversation, whether either has blocked the other.
        package var isBlocked: Bool
        /// Whether it is in a direct conversation whose message request they have not answered.
        package var isRequestWaiting: Bool
        /// Whether they have read it: up to it, or as part of their feed.
        package var isRead: Bool
        /// Whether it is deleted, has disappeared, or has left the feed.
        package var isGone: Bool
        /// Whether it is shown to its sender alone.
        package var isWithheld: Bool
        /// When the recipient's quiet hours end; `nil` outside of them.
        package var quietUntil: Timestamp?

        /// By default nothing stands against a notification.
        package init(
            _ kind: Kind, isOwn: Bool = false, isMember: Bool = true, isConnected: Bool = false,
            notifiesConnected: Bool = false, isMuted: Bool = false, isBlocked: Bool = false,
            isRequestWaiting: Bool = false, isRead: Bool = false, isGone: Bool = false, isWithheld: Bool = false,
            quietUntil: Timestamp? = nil
        ) {
            self.kind = kind
            self.isOwn = isOwn
            self.isMember = isMember
            self.isConnected = isConnected
            self.notifiesConnected = notifiesConnected
            self.isMuted = isMuted
            self.isBlocked = isBlocked
            self.isRequestWaiting = isRequestWaiting
            self.isRead = isRead
            self.isGone = isGone
            self.isWithheld = isWithheld
            self.quietUntil = quietUntil
        }
    }
}

// MARK: In a trace

extension PushRules.Decision {
    /// As a trace has it: `notify`, `hold`, or the reason why not.
    package var name: String {
        switch self {
        case .notify: "notify"
        case .hold: "hold"
        case .skip(let reason): reason.rawValue
        }
    }

    /// A sentence for people.
    package var sentence: String {
        switch self {
        case .notify: "They are notified."
        case .hold(let end): "It is held back until their quiet hours end at \(end), and told of in one digest then."
        case .skip(let reason): reason.sentence
        }
    }
}
