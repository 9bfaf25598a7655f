import ParleyProtocol

/// Why one user may write to another or may not: every step of the decision, with its facts.
package struct PermissionExplanation: Hashable, Sendable {
    package struct Step: Hashable, Sendable {
        package let step: MessagingPermission.Step
        /// The first step that holds decides.
        package let holds: Bool
        /// Its facts in words.
        package let detail: String
    }

    package let sender: UserID
    package let recipient: UserID
    package let permission: MessagingPermission
    package let steps: [Step]

    /// - Parameters: those of `MessagingPermission.decide`.
    package init(from sender: UserID, to recipient: UserID, _ contact: Contact?, now: Timestamp, renewal: Duration) {
        self.sender = sender
        self.recipient = recipient
        permission = .decide(from: sender, to: recipient, contact, now: now, renewal: renewal)
        let question = PermissionQuestion(
            sender: sender, recipient: recipient, contact: contact, now: now, renewal: renewal)
        steps = MessagingPermission.Step.allCases.map { step in
            Step(step: step, holds: question.verdict(of: step) != nil, detail: question.detail(of: step))
        }
    }
}

extension PermissionQuestion {
    fileprivate func detail(of step: MessagingPermission.Step) -> String {
        guard let contact, sender != recipient else {
            switch step {
            case .oneself: return sender == recipient ? "the two are the same" : "the two are not the same"
            case .existence: return sender == recipient ? "" : "one of the two is nobody"
            case .block, .messagePrivacy, .mutualFollow, .acceptedRequest, .requestAllowance: return ""
            }
        }
        let (own, other) = (contact[sender], contact[recipient])
        switch step {
        case .oneself: return "the two are not the same"
        case .existence: return "both are people"
        case .block:
            return Self.each(sender, own.blocks, "has blocked", recipient) + "; "
                + Self.each(recipient, other.blocks, "has blocked", sender)
        case .messagePrivacy:
            let privacy = "\(recipient) lets \(other.privacy == .anyone ? "anyone" : "friends") write to them"
            return other.blocks ? privacy + ", and by the block \(sender) as a friend only" : privacy
        case .mutualFollow:
            return Self.each(sender, own.follows, "follows", recipient) + "; "
                + Self.each(recipient, other.follows, "follows", sender)
        case .acceptedRequest:
            return "the request of \(sender): \(own.request?.rawValue ?? "none"); "
                + "that of \(recipient): \(other.request?.rawValue ?? "none")"
        case .requestAllowance:
            guard let end = contact.friendsUntil else { return "they have not been friends before" }
            let next = end.advanced(by: renewal)
            return
                "friends until \(end); \(now < next ? "no" : "a") new request, since it is \(now < next ? "before" : "past") \(next)"
        }
    }

    private static func each(_ one: UserID, _ does: Bool, _ what: String, _ other: UserID) -> String {
        "\(one) \(what) \(other): \(does ? "yes" : "no")"
    }
}
