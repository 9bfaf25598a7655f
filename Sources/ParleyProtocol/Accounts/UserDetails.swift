/// The `data` of a reply to `admin/get-user`: a user as operators see them, without any content.
public struct UserDetails: GatewayObject {
    public let user: UserID
    public let displayName: String
    public let createdAt: Timestamp
    /// Since when they sign in nowhere; `nil` for a user who is not disabled.
    public let disabledAt: Timestamp?
    /// The ways to sign in at a web door; none of a user whose devices an operator makes.
    public let signsInBy: [LinkedProvider]
    public let privacy: UserPrivacy
    /// The live devices, in the order of their ids.
    public let devices: [DeviceSummary]
    /// The first groups and group conversations that they are in.
    public let groups: [UserGroup]
    public let counts: UserCounts

    /// The most groups in a reply.
    package static let mostGroups = 200

    public init(
        user: UserID, displayName: String, createdAt: Timestamp, disabledAt: Timestamp?,
        signsInBy: [LinkedProvider], privacy: UserPrivacy, devices: [DeviceSummary], groups: [UserGroup],
        counts: UserCounts
    ) {
        (self.user, self.displayName, self.createdAt) = (user, displayName, createdAt)
        (self.disabledAt, self.signsInBy, self.privacy) = (disabledAt, signsInBy, privacy)
        (self.devices, self.groups, self.counts) = (devices, groups, counts)
    }

    package init<Pass: FieldPass<UserDetails>>(fields pass: inout Pass) throws(Pass.Failure) {
        user = try pass.required("user_id", \.user)
        displayName = try pass.required("display_name", \.displayName, as: .text(.max))
        createdAt = try pass.required("created_at", \.createdAt)
        disabledAt = try pass.optional("disabled_at", \.disabledAt)
        signsInBy = try pass.required("signs_in_by", \.signsInBy, as: .objects())
        privacy = try pass.required("privacy", \.privacy, as: .object())
        devices = try pass.required("devices", \.devices, as: .objects())
        groups = try pass.required("groups", \.groups, as: .objects())
        counts = try pass.required("counts", \.counts, as: .object())
    }
}

/// The settings of a user's profile that say what others may know and do.
public struct UserPrivacy: GatewayObject {
    public let messagePrivacy: MessagePrivacy
    public let presence: PresencePrivacy
    public let sendsReadReceipts: Bool
    public let sendsTyping: Bool
    public let sharesWorkoutData: Bool

    package init(_ profile: Profile) {
        (messagePrivacy, presence) = (profile.messagePrivacy, profile.presence)
        (sendsReadReceipts, sendsTyping) = (profile.sendsReadReceipts, profile.sendsTyping)
        sharesWorkoutData = profile.sharesWorkoutData
    }

    package init<Pass: FieldPass<UserPrivacy>>(fields pass: inout Pass) throws(Pass.Failure) {
        messagePrivacy = try pass.required("message_privacy", \.messagePrivacy)
        presence = try pass.required("presence", \.presence)
        sendsReadReceipts = try pass.required("send_read_receipts", \.sendsReadReceipts)
        sendsTyping = try pass.required("send_typing", \.sendsTyping)
        sharesWorkoutData = try pass.required("share_workout_data", \.sharesWorkoutData)
    }
}

/// A group, or a group conversation, of a user's.
public struct UserGroup: GatewayObject {
    public let conversation: ConversationID
    /// `nil` of a conversation that is no training group's.
    public let group: GroupID?
    public let name: String?
    public let role: MemberRole
    public let joinedAt: Timestamp

    public init(
        conversation: ConversationID, group: GroupID?, name: String?, role: MemberRole, joinedAt: Timestamp
    ) {
        (self.conversation, self.group, self.name) = (conversation, group, name)
        (self.role, self.joinedAt) = (role, joinedAt)
    }

    package init<Pass: FieldPass<UserGroup>>(fields pass: inout Pass) throws(Pass.Failure) {
        conversation = try pass.required("conversation_id", \.conversation)
        group = try pass.optional("group_id", \.group)
        name = try pass.optional("name", \.name, as: .text(.max))
        role = try pass.required("role", \.role)
        joinedAt = try pass.required("joined_at", \.joinedAt)
    }
}

/// How much there is of a user.
public struct UserCounts: GatewayObject {
    public let conversations: Int
    public let groups: Int
    public let followers: Int
    public let following: Int
    /// Files that messages of theirs name, or will.
    public let blobs: Int
    public let blobBytes: Int

    public init(conversations: Int, groups: Int, followers: Int, following: Int, blobs: Int, blobBytes: Int) {
        (self.conversations, self.groups) = (conversations, groups)
        (self.followers, self.following) = (followers, following)
        (self.blobs, self.blobBytes) = (blobs, blobBytes)
    }

    package init<Pass: FieldPass<UserCounts>>(fields pass: inout Pass) throws(Pass.Failure) {
        conversations = try pass.required("conversations", \.conversations, as: .integer(0...Int.max))
        groups = try pass.required("groups", \.groups, as: .integer(0...Int.max))
        followers = try pass.required("followers", \.followers, as: .integer(0...Int.max))
        following = try pass.required("following", \.following, as: .integer(0...Int.max))
        blobs = try pass.required("blobs", \.blobs, as: .integer(0...Int.max))
        blobBytes = try pass.required("blob_bytes", \.blobBytes, as: .integer(0...Int.max))
    }
}
