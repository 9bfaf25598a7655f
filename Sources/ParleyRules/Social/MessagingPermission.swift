import ParleyProtocol

/// Whether one user may write to another, and why: decides messages, typing, receipts, reactions, invitations and
/// challenges (protocol §5, `social/can-message`).
package enum MessagingPermission: Hashable, Sendable {
    /// Without limit.
    case allowed(Ground)
    /// One message, as a message request.
    case request
    case refused(Refusal)

    package enum Ground: String, Hashable, Sendable, CaseIterable {
        /// The recipient's `message_privacy` is `anyone`.
        case anyone
        /// Each follows the other.
        case mutualFollow = "mutual_follow"
        /// A request was accepted or answered, or the recipient has written first.
        case acceptedRequest = "accepted_request"
    }

    package enum Refusal: String, Hashable, Sendable, CaseIterable {
        case oneself = "self"
        case unknownUser = "unknown_user"
        /// The sender blocks the recipient.
        case blocked
        /// The message request is spent. A blocked sender gets the same answer.
        case requestLimit = "request_limit"
    }

    package enum Action: String, Hashable, Sendable, CaseIterable {
        case message, edit, reaction, typing, receipt, invitation, challenge
    }

    /// Decides by the first `Step` that holds.
    ///
    /// - Parameters:
    ///   - contact: of the two; `nil` if `recipient` does not exist.
    ///   - renewal: how long after the end of a friendship there is no new message request.
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

    package func permits(_ action: Action) -> Bool {
        switch (self, action) {
        case (.allowed, _), (.request, .message): true
        case (.request, .edit), (.request, .reaction), (.request, .typing), (.request, .receipt),
            (.request, .invitation), (.request, .challenge), (.refused, _):
            false
        }
    }

    /// The rejection of a message; `nil` where it is allowed.
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
    /// The steps of the decision, in order. Where none holds, one message is allowed, as a request.
    package enum Step: String, Hashable, Sendable, CaseIterable {
        case oneself = "self"
        case existence, block
        case messagePrivacy = "message_privacy"
        case mutualFollow = "mutual_follow"
        case acceptedRequest = "accepted_request"
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

/// The facts of a permission.
struct PermissionQuestion {
    let sender: UserID
    let recipient: UserID
    /// `nil` if `recipient` does not exist.
    let contact: Contact?
    let now: Timestamp
    /// How long after the end of a friendship there is no new message request.
    let renewal: Duration

    /// `nil` where the step does not hold.
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
        guard let contact, !contact[recipient].blocks else { return false }
        // The recipient of a message may answer it.
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
    /// Whether it is a message that may be answered.
    var hasAsked: Bool {
        switch self {
        case .waiting, .declined, .open, .accepted: true
        case .cancelled, .hidden: false
        }
    }
}
