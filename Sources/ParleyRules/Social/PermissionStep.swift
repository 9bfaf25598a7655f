import ParleyProtocol

extension MessagingPermission {
    /// What is asked, one after the other, before one person may write to another. Where no step holds, one message is
    /// allowed, as a request.
    public enum Step: String, Hashable, Sendable, CaseIterable {
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
        public var meaning: String {
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
