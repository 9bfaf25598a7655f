/// `invites/create`, by any member of the group.
public struct CreateInvite: Command {
    public static let operation = Operation(validatedArea: "invites", verb: "create")
    public static let fields = "id?, group_id, expires_in?=604800, uses?"
    public typealias Reply = Invite

    /// A week, in seconds.
    public static let usualLife = 604_800

    public let id: InviteID?
    public let group: GroupID
    /// In seconds.
    public let expiresIn: Int
    /// How many may come by it; `nil` for as many as there is room for.
    public let uses: Int?

    public init(id: InviteID? = nil, group: GroupID, expiresIn: Int = CreateInvite.usualLife, uses: Int? = nil) {
        self.id = id
        self.group = group
        self.expiresIn = expiresIn
        self.uses = uses
    }

    public init(_ object: JSONObject) throws(Rejection) {
        id = try object.uuid("id")
        group = try object.uuid("group_id").required("group_id")
        expiresIn = try object.integer("expires_in", in: Limits.expirySeconds) ?? CreateInvite.usualLife
        uses = try object.integer("uses", in: Limits.inviteUses)
    }

    public func writeFields(to object: inout JSONWriter) {
        if let id { object.member("id", id) }
        object.member("group_id", group)
        object.member("expires_in", expiresIn)
        if let uses { object.member("uses", uses) }
    }

    /// What makes two requests of one id the same: everything that was sent, and who sent it.
    public func identityPreimage(sender: DeviceAddress) -> [UInt8] {
        var preimage = IdentityPreimage(reserving: 256)
        preimage.field(sender.user.text.utf8)
        preimage.field(sender.device.text.utf8)
        preimage.field(group.value.bytes)
        preimage.field(String(expiresIn).utf8)
        preimage.field((uses.map { String($0) } ?? "").utf8)
        return preimage.bytes
    }
}

/// `invites/list`: the invites of a group that still open it, the newest first. An admin sees all of them, others their own.
public struct ListInvites: Query {
    public static let operation = Operation(validatedArea: "invites", verb: "list")
    public static let fields = "group_id, limit?=50, cursor?"
    public typealias Reply = ListPage<Invite>

    public let group: GroupID
    public let page: Page

    public init(group: GroupID, page: Page = Page()) {
        self.group = group
        self.page = page
    }

    public init(_ object: JSONObject) throws(Rejection) {
        group = try object.uuid("group_id").required("group_id")
        page = try Page(object)
    }

    public func writeFields(to object: inout JSONWriter) {
        object.member("group_id", group)
        page.writeFields(to: &object)
    }
}

/// `invites/revoke`, by whoever has made it or an admin of the group: nobody comes by it any more.
public struct RevokeInvite: Command {
    public static let operation = Operation(validatedArea: "invites", verb: "revoke")
    public static let fields = "id"
    public typealias Reply = Invite

    public let id: InviteID

    public init(id: InviteID) { self.id = id }

    public init(_ object: JSONObject) throws(Rejection) { id = try object.uuid("id").required("id") }

    public func writeFields(to object: inout JSONWriter) { object.member("id", id) }
}

/// A request for what a token opens: `token`.
public protocol InviteTokenRequest: Request {
    var token: InviteToken { get }
    init(token: InviteToken)
}

extension InviteTokenRequest {
    public static var fields: String { "token" }

    public init(_ object: JSONObject) throws(Rejection) {
        self.init(token: try InviteToken.read("token", of: object).required("token"))
    }

    public func writeFields(to object: inout JSONWriter) { object.member("token", token) }
}

/// `invites/preview`
public struct PreviewInvite: Query, InviteTokenRequest {
    public static let operation = Operation(validatedArea: "invites", verb: "preview")
    public typealias Reply = InvitePreview

    public let token: InviteToken

    public init(token: InviteToken) { self.token = token }
}

/// `invites/accept`: makes the caller a member of the group.
public struct AcceptInvite: Command, InviteTokenRequest {
    public static let operation = Operation(validatedArea: "invites", verb: "accept")
    public typealias Reply = TrainingGroup

    public let token: InviteToken

    public init(token: InviteToken) { self.token = token }
}
