/// The invite object of protocol §5: the holder of its token may join the group.
public struct Invite: GatewayObject {
    public let id: InviteID
    public let group: GroupID
    /// `nil` except in the reply to its creation: the gateway does not store it.
    public private(set) var token: InviteToken?
    /// A link with the token; `nil` except in the reply to its creation.
    public private(set) var url: String?
    public let expiresAt: Timestamp
    /// How many more may join by it; `nil` for no limit of its own.
    public let usesLeft: Int?
    public let createdBy: UserID
    public let createdAt: Timestamp

    public init(
        id: InviteID, group: GroupID, token: InviteToken? = nil, url: String? = nil, expiresAt: Timestamp,
        usesLeft: Int?, createdBy: UserID, createdAt: Timestamp
    ) {
        self.id = id
        self.group = group
        self.token = token
        self.url = url
        self.expiresAt = expiresAt
        self.usesLeft = usesLeft
        self.createdBy = createdBy
        self.createdAt = createdAt
    }

    package init<Pass: FieldPass<Invite>>(fields pass: inout Pass) throws(Pass.Failure) {
        id = try pass.required("id", \.id)
        group = try pass.required("group_id", \.group)
        token = try pass.optional("token", \.token, without: .omitted)
        url = try pass.optional("url", \.url, as: .text(Limits.urlBytes))
        expiresAt = try pass.required("expires_at", \.expiresAt)
        usesLeft = try pass.optional("uses_left", \.usesLeft)
        createdBy = try pass.required("created_by", \.createdBy)
        createdAt = try pass.required("created_at", \.createdAt)
    }

    /// As its creator receives it.
    package func with(_ token: InviteToken, urlPrefix: String) -> Invite {
        var invite = self
        (invite.token, invite.url) = (token, urlPrefix + token.description)
        return invite
    }
}

/// The `data` of a reply to `invites/preview`: the group that a token opens.
public struct InvitePreview: GatewayObject {
    /// The group's.
    public let name: String
    public let memberCount: Int
    public let invitedBy: UserID
    /// The display name of the invite's creator.
    public let inviterName: String

    public init(name: String, memberCount: Int, invitedBy: UserID, inviterName: String) {
        (self.name, self.memberCount, self.invitedBy, self.inviterName) = (name, memberCount, invitedBy, inviterName)
    }

    package init<Pass: FieldPass<InvitePreview>>(fields pass: inout Pass) throws(Pass.Failure) {
        name = try pass.required("name", \.name, as: .name)
        memberCount = try pass.required("member_count", \.memberCount)
        invitedBy = try pass.required("invited_by", \.invitedBy)
        inviterName = try pass.required("inviter_name", \.inviterName, as: .name)
    }
}
