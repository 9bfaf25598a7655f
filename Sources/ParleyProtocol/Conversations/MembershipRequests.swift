/// `conversations/update`: a group's name, for everybody; the rest is the caller's own. Fields that are not named stay.
public struct UpdateConversation: Command {
    public static let operation = Operation(validatedArea: "conversations", verb: "update")
    public typealias Reply = Conversation

    public let conversation: ConversationID
    /// `null` removes the name.
    public let name: FieldChange<String>
    public let isMuted: Bool?
    /// The end of muting; without it, muting has no end. Naming a time mutes.
    public let mutedUntil: FieldChange<Timestamp>
    public let isArchived: Bool?
    public let isUnread: Bool?

    public init(
        conversation: ConversationID, name: FieldChange<String> = .unchanged, isMuted: Bool? = nil,
        mutedUntil: FieldChange<Timestamp> = .unchanged, isArchived: Bool? = nil, isUnread: Bool? = nil
    ) {
        self.conversation = conversation
        self.name = name
        self.isMuted = isMuted
        self.mutedUntil = mutedUntil
        self.isArchived = isArchived
        self.isUnread = isUnread
    }

    package init<Pass: FieldPass<UpdateConversation>>(fields pass: inout Pass) throws(Pass.Failure) {
        conversation = try pass.required("conversation_id", \.conversation)
        name = try pass.change("name", \.name, as: .text(Limits.nameCharacters))
        isMuted = try pass.optional("is_muted", \.isMuted)
        mutedUntil = try pass.change("muted_until", \.mutedUntil, as: OwnForm())
        isArchived = try pass.optional("is_archived", \.isArchived)
        isUnread = try pass.optional("is_unread", \.isUnread)
        var hasEnd = false
        if case .set = mutedUntil { hasEnd = true }
        try pass.check(isMuted != false || !hasEnd, or: .badRequest("muted_until", "is_muted is false beside it"))
    }
}

/// `conversations/add-members`
public struct AddMembers: Command {
    public static let operation = Operation(validatedArea: "conversations", verb: "add-members")
    public typealias Reply = Conversation

    public let conversation: ConversationID
    /// Each once, in the order of the request.
    public let users: [UserID]

    public init(conversation: ConversationID, users: [UserID]) {
        (self.conversation, self.users) = (conversation, users)
    }

    package init<Pass: FieldPass<AddMembers>>(fields pass: inout Pass) throws(Pass.Failure) {
        conversation = try pass.required("conversation_id", \.conversation)
        users = try pass.required(
            "user_ids", \.users, as: UsersForm(minimum: 1, excess: CreateConversation.tooMany(.group)))
    }
}

/// `conversations/remove-member`
public struct RemoveMember: Command {
    public static let operation = Operation(validatedArea: "conversations", verb: "remove-member")
    public typealias Reply = Conversation

    public let conversation: ConversationID
    public let user: UserID

    public init(conversation: ConversationID, user: UserID) { (self.conversation, self.user) = (conversation, user) }

    package init<Pass: FieldPass<RemoveMember>>(fields pass: inout Pass) throws(Pass.Failure) {
        conversation = try pass.required("conversation_id", \.conversation)
        user = try pass.required("user_id", \.user)
    }
}

/// `conversations/set-role`
public struct SetRole: Command {
    public static let operation = Operation(validatedArea: "conversations", verb: "set-role")
    public typealias Reply = Conversation

    public let conversation: ConversationID
    public let user: UserID
    public let role: MemberRole

    public init(conversation: ConversationID, user: UserID, role: MemberRole) {
        (self.conversation, self.user, self.role) = (conversation, user, role)
    }

    package init<Pass: FieldPass<SetRole>>(fields pass: inout Pass) throws(Pass.Failure) {
        conversation = try pass.required("conversation_id", \.conversation)
        user = try pass.required("user_id", \.user)
        role = try pass.required("role", \.role)
    }
}

/// `conversations/leave`
public struct LeaveConversation: Command, ConversationRequest {
    public static let operation = Operation(validatedArea: "conversations", verb: "leave")

    public let conversation: ConversationID

    public init(conversation: ConversationID) { self.conversation = conversation }
}
