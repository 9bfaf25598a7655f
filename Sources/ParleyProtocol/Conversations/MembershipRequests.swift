/// `conversations/update`: a group's name, for everybody; the rest is the caller's own. Only what is named changes.
public struct UpdateConversation: Command {
    public static let operation = Operation(validatedArea: "conversations", verb: "update")
    public static let fields = "conversation_id, name?, is_muted?, muted_until?, is_archived?, is_unread?"
    public typealias Reply = Conversation

    public let conversation: ConversationID
    /// `null` removes the name.
    public let name: FieldChange<String>
    public let isMuted: Bool?
    /// Until when; without it, muting has no end. Naming a time mutes.
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

    public init(_ object: JSONObject) throws(Rejection) {
        conversation = try object.uuid("conversation_id").required("conversation_id")
        name = FieldChange(object, "name", try object.text("name", maximum: Limits.nameCharacters))
        isMuted = try object.bool("is_muted")
        mutedUntil = FieldChange(object, "muted_until", try object.timestamp("muted_until"))
        isArchived = try object.bool("is_archived")
        isUnread = try object.bool("is_unread")
        if isMuted == false, case .set = mutedUntil {
            throw .badRequest("muted_until", "is_muted is false beside it")
        }
    }

    public func writeFields(to object: inout JSONWriter) {
        object.member("conversation_id", conversation)
        name.write("name", to: &object)
        if let isMuted { object.member("is_muted", isMuted) }
        mutedUntil.write("muted_until", to: &object)
        if let isArchived { object.member("is_archived", isArchived) }
        if let isUnread { object.member("is_unread", isUnread) }
    }
}

/// `conversations/add-members`
public struct AddMembers: Command {
    public static let operation = Operation(validatedArea: "conversations", verb: "add-members")
    public static let fields = "conversation_id, user_ids"
    public typealias Reply = Conversation

    public let conversation: ConversationID
    /// Each once, in the order of the request.
    public let users: [UserID]

    public init(conversation: ConversationID, users: [UserID]) {
        self.conversation = conversation
        self.users = users
    }

    public init(_ object: JSONObject) throws(Rejection) {
        conversation = try object.uuid("conversation_id").required("conversation_id")
        let named: [UserID] = try object.levels(
            "user_ids", maximum: CreateConversation.mostNames,
            excess: Rejection(.groupFull, "A group does not hold \(CreateConversation.mostNames) members.")
        ).required("user_ids")
        guard !named.isEmpty else { throw .badRequest("user_ids", "empty") }
        var seen: Set<UserID> = []
        users = named.filter { seen.insert($0).inserted }
    }

    public func writeFields(to object: inout JSONWriter) {
        object.member("conversation_id", conversation)
        object.member("user_ids", array: users) { $0.value($1) }
    }
}

/// `conversations/remove-member`
public struct RemoveMember: Command {
    public static let operation = Operation(validatedArea: "conversations", verb: "remove-member")
    public static let fields = "conversation_id, user_id"
    public typealias Reply = Conversation

    public let conversation: ConversationID
    public let user: UserID

    public init(conversation: ConversationID, user: UserID) {
        self.conversation = conversation
        self.user = user
    }

    public init(_ object: JSONObject) throws(Rejection) {
        conversation = try object.uuid("conversation_id").required("conversation_id")
        user = try object.level("user_id").required("user_id")
    }

    public func writeFields(to object: inout JSONWriter) {
        object.member("conversation_id", conversation)
        object.member("user_id", user)
    }
}

/// `conversations/set-role`
public struct SetRole: Command {
    public static let operation = Operation(validatedArea: "conversations", verb: "set-role")
    public static let fields = "conversation_id, user_id, role"
    public typealias Reply = Conversation

    public let conversation: ConversationID
    public let user: UserID
    public let role: MemberRole

    public init(conversation: ConversationID, user: UserID, role: MemberRole) {
        self.conversation = conversation
        self.user = user
        self.role = role
    }

    public init(_ object: JSONObject) throws(Rejection) {
        conversation = try object.uuid("conversation_id").required("conversation_id")
        user = try object.level("user_id").required("user_id")
        role = try object.choice("role", as: MemberRole.self).required("role")
    }

    public func writeFields(to object: inout JSONWriter) {
        object.member("conversation_id", conversation)
        object.member("user_id", user)
        object.member("role", role.rawValue)
    }
}

/// `conversations/leave`
public struct LeaveConversation: Command, ConversationRequest {
    public static let operation = Operation(validatedArea: "conversations", verb: "leave")
    public typealias Reply = Done

    public let conversation: ConversationID

    public init(conversation: ConversationID) { self.conversation = conversation }
}
