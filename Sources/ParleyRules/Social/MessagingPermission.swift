import ParleyProtocol

/// Whether one person may write to another, and why: the one engine behind messages, typing, receipts, reactions,
/// invitations and challenges (protocol §5, `social/can-message`).
public enum MessagingPermission: Hashable, Sendable {
    /// Without limit.
    case allowed(Ground)
    /// One message, which waits as a message request.
    case request
    case refused(Refusal)

    public enum Ground: String, Hashable, Sendable, CaseIterable {
        /// The other lets anyone write to them.
        case anyone
        /// Each follows the other.
        case mutualFollow = "mutual_follow"
        /// A request was accepted or answered; or the other has written first.
        case acceptedRequest = "accepted_request"
    }

    public enum Refusal: String, Hashable, Sendable, CaseIterable {
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
    public enum Action: String, Hashable, Sendable, CaseIterable {
        case message, edit, reaction, typing, receipt, invitation, challenge
    }

    /// Decides by the steps of `Step`, in their order: the first that holds decides.
    ///
    /// - Parameters:
    ///   - contact: what is between the two; `nil` if there is no such person as `recipient`.
    ///   - renewal: how long after the end of a friendship there is no new allowance.
    public static func decide(
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
    public func permits(_ action: Action) -> Bool {
        switch (self, action) {
        case (.allowed, _), (.request, .message): true
        case (.request, .edit), (.request, .reaction), (.request, .typing), (.request, .receipt),
            (.request, .invitation), (.request, .challenge), (.refused, _):
            false
        }
    }

    /// How a message is rejected; `nil` where it is allowed.
    public var rejection: Rejection? {
        switch self {
        case .allowed, .request: nil
        case .refused(.oneself): .messageToOneself
        case .refused(.unknownUser): .userNotFound
        case .refused(.blocked): .blocked
        case .refused(.requestLimit): .requestLimit
        }
    }

    /// `reason` of `social/can-message`.
    public var reason: String {
        switch self {
        case .allowed(let ground): ground.rawValue
        case .request: "request"
        case .refused(let refusal): refusal.rawValue
        }
    }
}
