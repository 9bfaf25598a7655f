import ParleyProtocol

/// Whether one person may write to another, and why: the one engine behind messages, typing, receipts, reactions,
/// invitations and challenges (protocol §5, `social/can-message`).
package enum MessagingPermission: Hashable, Sendable {
    /// Without limit.
    case allowed(Ground)
    /// One message, which waits as a message request.
    case request
    case refused(Refusal)

    package enum Ground: String, Hashable, Sendable, CaseIterable {
        /// The other lets anyone write to them.
        case anyone
        /// Each follows the other.
        case mutualFollow = "mutual_follow"
        /// A request was accepted or answered; or the other has written first.
        case acceptedRequest = "accepted_request"
    }

    package enum Refusal: String, Hashable, Sendable, CaseIterable {
        /// Nobody writes to themselves.
        case oneself = "self"
        /// There is no such person.
        case unknownUser = "unknown_user"
        /// The caller has blocked the other.
        case blocked
        /// The one message is spent. Whoever was blocked gets the same answer.
        case requestLimit = "request_limit"
    }

    /// What a permission is asked for.
    package enum Action: String, Hashable, Sendable, CaseIterable {
        case message, edit, reaction, typing, receipt, invitation, challenge
    }

    /// Decides by the steps of `Step`, in their order: the first that holds decides.
    ///
    /// - Parameters:
    ///   - contact: what is between the two; `nil` if there is no such person as `recipient`.
    ///   - renewal: how long after the end of a friendship there is no new allowance.
    package static func decide(
        from sender: UserID, to recipient: UserID, _ contact: Contact?, now: Timestamp, renewal: Duration
    ) -> MessagingPermission {
        let question = PermissionQuestion(
            sender: sender, recipient: recipient, contact: contact, now: now, renewal: renewal)
        for step in Step.allCases {
            if let permission = question.verdict(of: step) { return permission }
        }
        return .request
    }

    /// Whether this is enough for an action.
    package func permits(_ action: Action) -> Bool {
        switch (self, action) {
        case (.allowed, _), (.request, .message): true
        case (.request, .edit), (.request, .reaction), (.request, .typing), (.request, .receipt),
            (.request, .invitation), (.request, .challenge), (.refused, _):
            false
        }
    }

    /// How a message is rejected; `nil` where it is allowed.
    package var rejection: Rejection? {
        switch self {
        case .allowed, .request: nil
        case .refused(.oneself): .messageToOneself
        case .refused(.unknownUser): .userNotFound
        case .refused(.blocked): .blocked
        case .refused(.requestLimit): .requestLimit
        }
    }

    /// `reason` of `social/can-message`.
    package var reason: String {
        switch self {
        case .allowed(let ground): ground.rawValue
        case .request: "request"
        case .refused(let refusal): refusal.rawValue
        }
    }
}

// MARK: Steps

extension MessagingPermission {
    /// What is asked, one after the other, before one person may write to another. Where no step holds, one message is
    /// allowed, as a request.
    package enum Step: String, Hashable, Sendable, CaseIterable {
        /// The two are the same.
        case oneself = "self"
        /// There is no such person.
        case existence
        /// The sender has blocked the recipient.
        case block
        /// The recipient lets anyone write to them, and has not blocked the sender.
        case messagePrivacy = "message_privacy"
        /// Each follows the other.
        case mutualFollow = "mutual_follow"
        /// A request of one was accepted, or the recipient has written first.
        case acceptedRequest = "accepted_request"
        /// The one message is spent, or the two were friends until lately.
        case requestAllowance = "request_allowance"

        /// When the step holds, for the table in `docs/permissions.md`.
        package var meaning: String {
            switch self {
            case .oneself: "the two are the same"
            case .existence: "there is no such person"
            case .block: "the sender has blocked the recipient"
            case .messagePrivacy: "the recipient's `message_privacy` is `anyone`, and they have not blocked the sender"
            case .mutualFollow: "each follows the other"
            case .acceptedRequest: "a request of one was accepted, or the recipient has written first"
            case .requestAllowance:
                "the one message is spent, or a friendship ended less than `request_renewal_days` ago"
            }
        }
    }
}

/// Whether one person may write to another: the facts that the answer goes by.
struct PermissionQuestion {
    let sender: UserID
    let recipient: UserID
    /// `nil` if there is no such person as `recipient`.
    let contact: Contact?
    let now: Timestamp
    /// How long after the end of a friendship there is no new allowance.
    let renewal: Duration

    /// What a step decides; `nil` where it does not hold and the next is asked.
    func verdict(of step: MessagingPermission.Step) -> MessagingPermission? {
        switch step {
        case .oneself: sender == recipient ? .refused(.oneself) : nil
        case .existence: contact == nil ? .refused(.unknownUser) : nil
        case .block: contact?[sender].blocks == true ? .refused(.blocked) : nil
        case .messagePrivacy: contact?.privacy(of: recipient) == .anyone ? .allowed(.anyone) : nil
        case .mutualFollow: contact?.areFriends == true ? .allowed(.mutualFollow) : nil
        case .acceptedRequest: isAccepted ? .allowed(.acceptedRequest) : nil
        case .requestAllowance: isSpent ? .refused(.requestLimit) : nil
        }
    }

    private var isAccepted: Bool {
        // To whoever has blocked the sender nothing counts as accepted.
        guard let contact, !contact[recipient].blocks else { return false }
        // Who has written to somebody may be answered by them.
        return contact.isAccepted || contact[recipient].request?.hasAsked == true
    }

    private var isSpent: Bool {
        guard let contact else { return false }
        return contact[sender].request != nil || isTooSoon(after: contact.friendsUntil)
    }

    private func isTooSoon(after end: Timestamp?) -> Bool {
        end.map { now < $0.advanced(by: renewal) } ?? false
    }
}

extension MessageRequestState {
    /// Whether a message has come of it that may be answered.
    var hasAsked: Bool {
        switch self {
        case .waiting, .declined, .open, .accepted: true
        case .cancelled, .hidden: false
        }
    }
}
