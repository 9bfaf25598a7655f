/// The kinds of announcement by the gateway itself: the `event` of a `system` record (protocol §3).
public enum SystemEvent: String, Sendable, CaseIterable {
    case memberAdded = "member.added"
    case memberJoined = "member.joined"
    case memberRemoved = "member.removed"
    case memberLeft = "member.left"
    case roleChanged = "role.changed"
    case conversationRenamed = "conversation.renamed"

    /// For the table in `docs/protocol.md`.
    public var meaning: String {
        switch self {
        case .memberAdded: "`by` has put `user_id` into the group"
        case .memberJoined: "`user_id` has come into the group by an invitation; `by` is the same"
        case .memberRemoved: "`by` has taken `user_id` out of the group"
        case .memberLeft: "`user_id` has left the group; `by` is the same"
        case .roleChanged:
            "`user_id` has another role now, given by `by` or, when the last admin left, by their leaving"
        case .conversationRenamed: "`by` has changed the group's name; `user_id` is null"
        }
    }
}

extension SystemNotice {
    public init(_ event: SystemEvent, user: UserID?, by: UserID?) {
        self.init(event: event.rawValue, user: user, by: by)
    }
}
