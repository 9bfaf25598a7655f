/// `conversations/create`: a direct conversation with one user, or a group of at most 10.
public struct CreateConversation: Command {
    public static let operation = Operation(validatedArea: "conversations", verb: "create")
    public static let fields = "id?, type, name?, participant_ids"
    public typealias Reply = Conversation

    public enum Form: Hashable, Sendable {
        case direct
        case group(id: ConversationID?, name: String?)
    }

    public let form: Form
    /// Whom the caller names, with or without the caller; each once, in the order of the request.
    public let participants: [UserID]

    public init(form: Form, participants: [UserID]) {
        self.form = form
        self.participants = participants
    }

    /// More names than any group holds; a list that is longer still is refused without being read.
    package static let mostNames = 128

    /// The refusal of more than `mostNames` names, in the words of the limit of either type.
    private static func tooMany(_ type: ConversationType) -> Rejection {
        switch type {
        case .direct: .badRequest("participant_ids", "a direct conversation has exactly one other participant")
        case .group: Rejection(.groupFull, "A group does not hold \(mostNames) members.")
        }
    }

    public init(_ object: JSONObject) throws(Rejection) {
        let type = try object.choice("type", as: ConversationType.self).required("type")
        let named: [UserID] = try object.levels(
            "participant_ids", maximum: CreateConversation.mostNames, excess: CreateConversation.tooMany(type)
        ).required("participant_ids")
        var seen: Set<UserID> = []
        participants = named.filter { seen.insert($0).inserted }
        let id: ConversationID? = try object.uuid("id")
        let name = try object.text("name", maximum: Limits.nameCharacters)
        switch type {
        case .direct: form = .direct
        case .group: form = .group(id: id, name: name)
        }
    }

    public func writeFields(to object: inout JSONWriter) {
        switch form {
        case .direct:
            object.member("type", ConversationType.direct.rawValue)
        case .group(let id, let name):
            object.member("type", ConversationType.group.rawValue)
            if let id { object.member("id", id) }
            if let name { object.member("name", name) }
        }
        object.member("participant_ids", array: participants) { $0.value($1) }
    }
}

/// `conversations/list`: the caller's conversations, the last active first.
public struct ListConversations: Query {
    public static let operation = Operation(validatedArea: "conversations", verb: "list")
    public static let fields = "limit?=20, offset?=0, archived?=false"
    public typealias Reply = ConversationList

    public let limit: Int
    public let offset: Int
    public let archived: Bool

    public init(limit: Int = 20, offset: Int = 0, archived: Bool = false) {
        self.limit = limit
        self.offset = offset
        self.archived = archived
    }

    public init(_ object: JSONObject) throws(Rejection) {
        limit = try object.integer("limit", in: 1...Limits.pageItems) ?? 20
        offset = try object.integer("offset", in: 0...Int(Int32.max)) ?? 0
        archived = try object.bool("archived") ?? false
    }

    public func writeFields(to object: inout JSONWriter) {
        object.member("limit", limit)
        object.member("offset", offset)
        object.member("archived", archived)
    }
}

/// `conversations/get`
public struct GetConversation: Query, ConversationRequest {
    public static let operation = Operation(validatedArea: "conversations", verb: "get")
    public typealias Reply = Conversation

    public let conversation: ConversationID

    public init(conversation: ConversationID) { self.conversation = conversation }
}
