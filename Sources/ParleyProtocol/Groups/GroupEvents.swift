/// `group.joined`: the user is now a member.
public struct GroupJoined: PersonalEvent, GatewayObject {
    package static let names = ["group.joined"]
    package var received: ReceivedEvent { .groupJoined(self) }

    public let group: TrainingGroup

    public init(_ group: TrainingGroup) { self.group = group }

    package init<Pass: FieldPass<GroupJoined>>(fields pass: inout Pass) throws(Pass.Failure) {
        group = try pass.part(\.group)
    }
}

/// `group.deleted`: the group has ended, and has no members.
public struct GroupDeleted: PersonalEvent, GatewayObject {
    package static let names = ["group.deleted"]
    package var received: ReceivedEvent { .groupDeleted(self) }

    public let group: GroupID

    public init(_ group: GroupID) { self.group = group }

    package init<Pass: FieldPass<GroupDeleted>>(fields pass: inout Pass) throws(Pass.Failure) {
        group = try pass.required("group_id", \.group)
    }
}

/// `group.updated`: its name has changed.
public struct GroupUpdated: AddressedEvent, GatewayObject {
    package static let names = ["group.updated"]
    package var topic: Topic { .group(group.id, .events) }
    package var received: ReceivedEvent { .groupUpdated(self) }

    public let group: TrainingGroup

    public init(_ group: TrainingGroup) { self.group = group }

    package init<Pass: FieldPass<GroupUpdated>>(fields pass: inout Pass) throws(Pass.Failure) {
        group = try pass.part(\.group)
    }
}

/// A change of a group's members or of their roles.
public struct GroupMemberEvent: Hashable, Sendable {
    public enum Kind: String, Sendable, CaseIterable {
        case joined = "group.member_joined"
        case left = "group.member_left"
        case removed = "group.member_removed"
        case roleChanged = "group.role_changed"
    }

    public let kind: Kind
    public let change: GroupMemberChange

    public init(_ kind: Kind, _ change: GroupMemberChange) { (self.kind, self.change) = (kind, change) }
}

extension GroupMemberEvent: AddressedEvent {
    package static let names = Kind.allCases.map(\.rawValue)
    public var name: String { kind.rawValue }
    package var topic: Topic { .group(change.group, .events) }

    package static func read(_ name: String, _ data: JSONObject) throws(ReadingError) -> any PublishedEvent {
        guard let kind = Kind(rawValue: name) else { throw .field(name) }
        return GroupMemberEvent(kind, try GroupMemberChange(reading: data))
    }

    package func write(to writer: inout JSONWriter) { change.write(to: &writer) }
}

/// The `data` of a ``GroupMemberEvent``.
public struct GroupMemberChange: GatewayObject {
    public let group: GroupID
    /// The member in question.
    public let user: UserID
    /// The user who did it; for a new member, the one who invited them.
    public let by: UserID?
    /// The new role; `nil` for a member who has left.
    public let role: Named<MemberRole>?

    public init(group: GroupID, user: UserID, by: UserID?, role: Named<MemberRole>? = nil) {
        (self.group, self.user, self.by, self.role) = (group, user, by, role)
    }

    package init<Pass: FieldPass<GroupMemberChange>>(fields pass: inout Pass) throws(Pass.Failure) {
        group = try pass.required("group_id", \.group)
        user = try pass.required("user_id", \.user)
        by = try pass.optional("by", \.by)
        role = try pass.optional("role", \.role)
    }
}
