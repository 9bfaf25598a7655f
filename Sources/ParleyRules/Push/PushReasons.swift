import ParleyProtocol

extension PushRules {
    /// Why a recipient is not notified, in the order of evaluation.
    package enum Reason: String, Hashable, Sendable, CaseIterable {
        case own
        case notMember = "not_member"
        case withheld
        case gone
        case blocked
        case requestWaits = "request_waits"
        case alreadyRead = "already_read"
        case muted
        case connected

        /// Whether it applies to notifications of this kind.
        package func concerns(_ kind: Kind) -> Bool {
            switch (self, kind) {
            // The request itself is something in the feed.
            case (.requestWaits, .feed): false
            case (.muted, .feed(let type)): type.isSilencedByMuting
            case (.own, _), (.notMember, _), (.withheld, _), (.gone, _), (.blocked, _), (.requestWaits, .message),
                (.alreadyRead, _), (.muted, .message), (.connected, _):
                true
            }
        }

        /// Whether it is true of the recipient, for any kind.
        package func applies(to facts: Facts) -> Bool {
            switch self {
            case .own: facts.isOwn
            case .notMember: !facts.isMember
            case .withheld: facts.isWithheld
            case .gone: facts.isGone
            case .blocked: facts.isBlocked
            case .requestWaits: facts.isRequestWaiting
            case .alreadyRead: facts.isRead
            case .muted: facts.isMuted
            case .connected: facts.isConnected && !facts.notifiesConnected
            }
        }

        /// Whether it keeps the notification back.
        package func holds(_ facts: Facts) -> Bool { concerns(facts.kind) && applies(to: facts) }

        /// A sentence for operators, also for the table in `docs/push.md`. It shows blocks.
        package var sentence: String {
            switch self {
            case .own: "They have sent or caused it themselves."
            case .notMember: "They are not in the conversation or group, or came into it later."
            case .withheld: "It is shown to its sender alone."
            case .gone: "It is deleted or has disappeared."
            case .blocked: "They have blocked who it is from, or are blocked by them."
            case .requestWaits: "It waits as a message request, which is told of by itself."
            case .alreadyRead: "They have read it."
            case .muted: "They have muted the conversation."
            case .connected: "One of their devices is connected."
            }
        }
    }
}

// MARK: In words

extension PushRules.Facts {
    /// The facts of a reason, for people.
    package func detail(of reason: PushRules.Reason) -> String {
        func says(_ what: String, _ holds: Bool) -> String { "\(what): \(holds ? "yes" : "no")" }
        switch reason {
        case .own: return says("they have sent or caused it", isOwn)
        case .notMember: return says("they are in the conversation or group, and were when it happened", isMember)
        case .withheld: return says("it is shown to its sender alone", isWithheld)
        case .gone: return says("it is deleted or has disappeared", isGone)
        case .blocked: return says("they have blocked who it is from, or are blocked by them", isBlocked)
        case .requestWaits: return says("it is in a message request that they have not answered", isRequestWaiting)
        case .alreadyRead: return says("they have read it", isRead)
        case .muted: return says("they have muted the conversation", isMuted)
        case .connected:
            return says("a device of theirs is connected", isConnected) + "; "
                + says("the setting push_always", notifiesConnected)
        }
    }

    /// The facts of quiet hours, for people.
    package var quietHoursDetail: String {
        guard let quietUntil else { return "they are in their quiet hours: no" }
        return "they are in their quiet hours until \(quietUntil), which hold back what is not urgent"
    }
}
