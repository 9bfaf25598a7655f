/// A request for a group: `group_id`.
public protocol GroupRequest: Request {
    var group: GroupID { get }
    init(group: GroupID)
}

extension GroupRequest {
    public static var fields: String { "group_id" }

    public init(_ object: JSONObject) throws(Rejection) {
        self.init(group: try object.uuid("group_id").required("group_id"))
    }

    public func writeFields(to object: inout JSONWriter) { object.member("group_id", group) }
}

extension TrainingGroup {
    /// The name of a group: 1 to 100 characters.
    fileprivate static func name(in object: JSONObject) throws(Rejection) -> String {
        let name = try object.text("name", maximum: Limits.nameCharacters).required("name")
        guard !name.isEmpty else { throw .badRequest("name", "empty") }
        return name
    }
}

/// `groups/create`: a group of the caller, and its conversation. Others come by invitations.
public struct CreateGroup: Command {
    public static let operation = Operation(validatedArea: "groups", verb: "create")
    public static let fields = "id?, name, time_zone?"
    public typealias Reply = TrainingGroup

    public let id: GroupID?
    public let name: String
    /// The IANA name of the zone in which its weeks begin; without it, UTC.
    public let timeZone: String?

    public init(id: GroupID? = nil, name: String, timeZone: String? = nil) {
        self.id = id
        self.name = name
        self.timeZone = timeZone
    }

    public init(_ object: JSONObject) throws(Rejection) {
        id = try object.uuid("id")
        name = try TrainingGroup.name(in: object)
        timeZone = try object.timeZoneName("time_zone")
    }

    public func writeFields(to object: inout JSONWriter) {
        if let id { object.member("id", id) }
        object.member("name", name)
        if let timeZone { object.member("time_zone", timeZone) }
    }

    /// What makes two requests of one id the same: everything that was sent, and who sent it.
    public func identityPreimage(sender: DeviceAddress) -> [UInt8] {
        var preimage = IdentityPreimage(reserving: name.utf8.count + 192)
        preimage.field(sender.user.text.utf8)
        preimage.field(sender.device.text.utf8)
        preimage.field(name.utf8)
        preimage.field((timeZone ?? "").utf8)
        return preimage.bytes
    }
}

/// `groups/get`
public struct GetGroup: Query, GroupRequest {
    public static let operation = Operation(validatedArea: "groups", verb: "get")
    public typealias Reply = TrainingGroup

    public let group: GroupID

    public init(group: GroupID) { self.group = group }
}

/// `groups/list`: the groups in which the caller is.
public struct ListGroups: Query, EmptyRequest {
    public static let operation = Operation(validatedArea: "groups", verb: "list")
    public typealias Reply = GroupList

    public init() {}
}

/// `groups/update`: the name, by an admin.
public struct UpdateGroup: Command {
    public static let operation = Operation(validatedArea: "groups", verb: "update")
    public static let fields = "group_id, name"
    public typealias Reply = TrainingGroup

    public let group: GroupID
    public let name: String

    public init(group: GroupID, name: String) {
        self.group = group
        self.name = name
    }

    public init(_ object: JSONObject) throws(Rejection) {
        group = try object.uuid("group_id").required("group_id")
        name = try TrainingGroup.name(in: object)
    }

    public func writeFields(to object: inout JSONWriter) {
        object.member("group_id", group)
        object.member("name", name)
    }
}

/// `groups/delete`: ends a group and its conversation for all members, by an admin.
public struct DeleteGroup: Command, GroupRequest {
    public static let operation = Operation(validatedArea: "groups", verb: "delete")
    public typealias Reply = Done

    public let group: GroupID

    public init(group: GroupID) { self.group = group }
}

/// `groups/leave`
public struct LeaveGroup: Command, GroupRequest {
    public static let operation = Operation(validatedArea: "groups", verb: "leave")
    public typealias Reply = Done

    public let group: GroupID

    public init(group: GroupID) { self.group = group }
}

/// `groups/remove-member`, by an admin.
public struct RemoveGroupMember: Command {
    public static let operation = Operation(validatedArea: "groups", verb: "remove-member")
    public static let fields = "group_id, user_id"
    public typealias Reply = TrainingGroup

    public let group: GroupID
    public let user: UserID

    public init(group: GroupID, user: UserID) {
        self.group = group
        self.user = user
    }

    public init(_ object: JSONObject) throws(Rejection) {
        group = try object.uuid("group_id").required("group_id")
        user = try object.level("user_id").required("user_id")
    }

    public func writeFields(to object: inout JSONWriter) {
        object.member("group_id", group)
        object.member("user_id", user)
    }
}

/// `groups/set-role`, by an admin.
public struct SetGroupRole: Command {
    public static let operation = Operation(validatedArea: "groups", verb: "set-role")
    public static let fields = "group_id, user_id, role"
    public typealias Reply = TrainingGroup

    public let group: GroupID
    public let user: UserID
    public let role: MemberRole

    public init(group: GroupID, user: UserID, role: MemberRole) {
        self.group = group
        self.user = user
        self.role = role
    }

    public init(_ object: JSONObject) throws(Rejection) {
        group = try object.uuid("group_id").required("group_id")
        user = try object.level("user_id").required("user_id")
        role = try object.choice("role", as: MemberRole.self).required("role")
    }

    public func writeFields(to object: inout JSONWriter) {
        object.member("group_id", group)
        object.member("user_id", user)
        object.member("role", role.rawValue)
    }
}
