/// What becomes of a group: the events `group.*` (protocol §2).
public enum GroupEvent: Hashable, Sendable {
    /// The user is a member now.
    case joined(TrainingGroup)
    /// The group is ended; nobody is a member any more.
    case deleted(GroupID)
    /// It has another name.
    case updated(TrainingGroup)
    case memberJoined(GroupMemberChange)
    case memberLeft(GroupMemberChange)
    case memberRemoved(GroupMemberChange)
    case roleChanged(GroupMemberChange)

    /// The name of the event.
    package var type: StaticString {
        switch self {
        case .joined: "group.joined"
        case .deleted: "group.deleted"
        case .updated: "group.updated"
        case .memberJoined: "group.member_joined"
        case .memberLeft: "group.member_left"
        case .memberRemoved: "group.member_removed"
        case .roleChanged: "group.role_changed"
        }
    }

    /// Writes the event: the first two on `users/{uid}/events`, the others on `groups/{gid}/events`.
    package func writeEvent(to writer: inout JSONWriter) {
        writer.event(type) { writer in
            switch self {
            case .joined(let group), .updated(let group): group.write(to: &writer)
            case .deleted(let group): GroupDeletion(group: group).write(to: &writer)
            case .memberJoined(let change), .memberLeft(let change), .memberRemoved(let change),
                .roleChanged(let change):
                change.write(to: &writer)
            }
        }
    }

    /// - Returns: `nil` for an event of another type.
    init?(_ type: String, _ data: JSONObject) throws(ReadingError) {
        switch type {
        case "group.joined": self = .joined(try TrainingGroup(reading: data))
        case "group.deleted": self = .deleted(try GroupDeletion(reading: data).group)
        case "group.updated": self = .updated(try TrainingGroup(reading: data))
        case "group.member_joined": self = .memberJoined(try GroupMemberChange(reading: data))
        case "group.member_left": self = .memberLeft(try GroupMemberChange(reading: data))
        case "group.member_removed": self = .memberRemoved(try GroupMemberChange(reading: data))
        case "group.role_changed": self = .roleChanged(try GroupMemberChange(reading: data))
        default: return nil
        }
    }

    /// Whether the event belongs on the topic.
    func belongs(on topic: Topic) -> Bool {
        switch self {
        case .joined, .deleted: if case .user(_, .events) = topic { true } else { false }
        case .updated(let group): topic == .group(group.id, .events)
        case .memberJoined(let change), .memberLeft(let change), .memberRemoved(let change), .roleChanged(let change):
            topic == .group(change.group, .events)
        }
    }
}

/// A change of who is in a group, or of what they are there.
public struct GroupMemberChange: Hashable, Sendable {
    public let group: GroupID
    /// Whom it is about.
    public let user: UserID
    /// Who did it; of somebody who has come, by whose invitation.
    public let by: UserID?
    /// The role that they have now; `nil` for somebody who has gone.
    public let role: Named<MemberRole>?

    public init(group: GroupID, user: UserID, by: UserID?, role: Named<MemberRole>? = nil) {
        self.group = group
        self.user = user
        self.by = by
        self.role = role
    }
}

extension GroupMemberChange: GatewayObject {
    package init<Pass: FieldPass<GroupMemberChange>>(fields pass: inout Pass) throws(Pass.Failure) {
        group = try pass.required("group_id", \.group)
        user = try pass.required("user_id", \.user)
        by = try pass.optional("by", \.by)
        role = try pass.optional("role", \.role)
    }
}

/// The `data` of `group.deleted`.
private struct GroupDeletion: Hashable, Sendable {
    let group: GroupID
}

extension GroupDeletion: GatewayObject {
    package init<Pass: FieldPass<GroupDeletion>>(fields pass: inout Pass) throws(Pass.Failure) {
        group = try pass.required("group_id", \.group)
    }
}
