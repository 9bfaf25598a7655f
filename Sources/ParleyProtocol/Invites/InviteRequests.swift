/// `invites/create`, by any member of the group.
public struct CreateInvite: RepeatableCommand {
    public static let operation = Operation(validatedArea: "invites", verb: "create")
    public typealias Reply = Invite

    /// A week, in seconds.
    public static let usualLife = 604_800

    public let id: InviteID?
    public let group: GroupID
    /// In seconds.
    public let expiresIn: Int
    /// How many may join by it; `nil` for no limit of its own.
    public let uses: Int?

    public init(id: InviteID? = nil, group: GroupID, expiresIn: Int = CreateInvite.usualLife, uses: Int? = nil) {
        (self.id, self.group, self.expiresIn, self.uses) = (id, group, expiresIn, uses)
    }

    package init<Pass: FieldPass<CreateInvite>>(fields pass: inout Pass) throws(Pass.Failure) {
        id = try pass.optional("id", \.id)
        group = try pass.required("group_id", \.group)
        expiresIn = try pass.required(
            "expires_in", \.expiresIn, as: .integer(Limits.expirySeconds), default: CreateInvite.usualLife)
        uses = try pass.optional("uses", \.uses, as: .integer(Limits.inviteUses))
    }

    package func identityPreimage(sender: DeviceAddress) -> [UInt8] {
        IdentityPreimage(of: sender).field(group).field(expiresIn).field(uses).bytes
    }
}

/// `invites/list`: the open invites of a group, the newest first. An admin sees all of them, others their own.
public struct ListInvites: Query {
    public static let operation = Operation(validatedArea: "invites", verb: "list")
    public typealias Reply = ListPage<Invite>

    public let group: GroupID
    public let page: Page

    public init(group: GroupID, page: Page = Page()) { (self.group, self.page) = (group, page) }

    package init<Pass: FieldPass<ListInvites>>(fields pass: inout Pass) throws(Pass.Failure) {
        group = try pass.required("group_id", \.group)
        page = try pass.part(\.page)
    }
}

/// `invites/revoke`, by its creator or an admin of the group.
public struct RevokeInvite: Command, IDRequest {
    public static let operation = Operation(validatedArea: "invites", verb: "revoke")
    public typealias Reply = Invite

    public let id: InviteID

    public init(id: InviteID) { self.id = id }
}

/// A request by an invite's token: `token`.
package protocol InviteTokenRequest: Request {
    var token: InviteToken { get }
    init(token: InviteToken)
}

extension InviteTokenRequest {
    package init<Pass: FieldPass<Self>>(fields pass: inout Pass) throws(Pass.Failure) {
        self.init(token: try pass.required("token", \.token))
    }
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
    package static let refusalOfOperators: String? = "An operator is in no group."
    public typealias Reply = TrainingGroup

    public let token: InviteToken

    public init(token: InviteToken) { self.token = token }
}
