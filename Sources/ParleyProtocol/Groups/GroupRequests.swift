/// `groups/create`: a group of the caller's, and its conversation. Others join by invites.
public struct CreateGroup: RepeatableCommand {
    public static let operation = Operation(validatedArea: "groups", verb: "create")
    package static let refusalOfOperators: String? = "An operator is in no group."
    public typealias Reply = TrainingGroup

    public let id: GroupID?
    public let name: String
    /// The IANA name of the zone that its weeks follow; without it, UTC.
    public let timeZone: String?

    public init(id: GroupID? = nil, name: String, timeZone: String? = nil) {
        (self.id, self.name, self.timeZone) = (id, name, timeZone)
    }

    package init<Pass: FieldPass<CreateGroup>>(fields pass: inout Pass) throws(Pass.Failure) {
        id = try pass.optional("id", \.id)
        name = try pass.required("name", \.name, as: .nonemptyText(Limits.nameCharacters))
        timeZone = try pass.optional("time_zone", \.timeZone, as: TimeZoneForm())
    }

    package func identityPreimage(sender: DeviceAddress) -> [UInt8] {
        IdentityPreimage(of: sender).field(name).field(timeZone).bytes
    }
}

/// `groups/get`
public struct GetGroup: Query, GroupRequest {
    public static let operation = Operation(validatedArea: "groups", verb: "get")
    public typealias Reply = TrainingGroup

    public let group: GroupID

    public init(group: GroupID) { self.group = group }
}

/// `groups/list`: the caller's groups.
public struct ListGroups: Query, EmptyRequest {
    public static let operation = Operation(validatedArea: "groups", verb: "list")
    public typealias Reply = GroupList

    public init() {}
}

/// `groups/update`: the name, by an admin.
public struct UpdateGroup: Command {
    public static let operation = Operation(validatedArea: "groups", verb: "update")
    public typealias Reply = TrainingGroup

    public let group: GroupID
    public let name: String

    public init(group: GroupID, name: String) { (self.group, self.name) = (group, name) }

    package init<Pass: FieldPass<UpdateGroup>>(fields pass: inout Pass) throws(Pass.Failure) {
        group = try pass.required("group_id", \.group)
        name = try pass.required("name", \.name, as: .nonemptyText(Limits.nameCharacters))
    }
}

/// `groups/delete`: ends a group and its conversation for all members, by an admin.
public struct DeleteGroup: Command, GroupRequest {
    public static let operation = Operation(validatedArea: "groups", verb: "delete")

    public let group: GroupID

    public init(group: GroupID) { self.group = group }
}

/// `groups/leave`
public struct LeaveGroup: Command, GroupRequest {
    public static let operation = Operation(validatedArea: "groups", verb: "leave")

    public let group: GroupID

    public init(group: GroupID) { self.group = group }
}

/// `groups/remove-member`, by an admin.
public struct RemoveGroupMember: Command {
    public static let operation = Operation(validatedArea: "groups", verb: "remove-member")
    public typealias Reply = TrainingGroup

    public let group: GroupID
    public let user: UserID

    public init(group: GroupID, user: UserID) { (self.group, self.user) = (group, user) }

    package init<Pass: FieldPass<RemoveGroupMember>>(fields pass: inout Pass) throws(Pass.Failure) {
        group = try pass.required("group_id", \.group)
        user = try pass.required("user_id", \.user)
    }
}

/// `groups/set-role`, by an admin.
public struct SetGroupRole: Command {
    public static let operation = Operation(validatedArea: "groups", verb: "set-role")
    public typealias Reply = TrainingGroup

    public let group: GroupID
    public let user: UserID
    public let role: MemberRole

    public init(group: GroupID, user: UserID, role: MemberRole) {
        (self.group, self.user, self.role) = (group, user, role)
    }

    package init<Pass: FieldPass<SetGroupRole>>(fields pass: inout Pass) throws(Pass.Failure) {
        group = try pass.required("group_id", \.group)
        user = try pass.required("user_id", \.user)
        role = try pass.required("role", \.role)
    }
}
