/// `conversations/create`: a direct conversation with one user, or a group of at most 10.
public struct CreateConversation: Command {
    public static let operation = Operation(validatedArea: "conversations", verb: "create")
    package static let refusalOfOperators: String? = "An operator has no conversations."
    /// A group's; a direct conversation has its id from its two users.
    package static let namesWhatItMakes = true
    public typealias Reply = Conversation

    public enum Form: Hashable, Sendable {
        case direct
        case group(id: ConversationID?, name: String?)
    }

    public let form: Form
    /// With or without the caller; each once, in the order of the request.
    public let participants: [UserID]

    public init(form: Form, participants: [UserID]) { (self.form, self.participants) = (form, participants) }

    /// Above the members of any group; a longer list is refused without being read.
    package static let mostNames = 128

    /// The refusal of more than `mostNames` names, worded like the limit of each type.
    static func tooMany(_ type: ConversationType) -> Rejection {
        switch type {
        case .direct: .badRequest("participant_ids", "a direct conversation has exactly one other participant")
        case .group: Rejection(.groupFull, "A group does not hold \(mostNames) members.")
        }
    }

    package init<Pass: FieldPass<CreateConversation>>(fields pass: inout Pass) throws(Pass.Failure) {
        let type = try pass.required("type") { $0.form == .direct ? ConversationType.direct : .group }
        participants = try pass.required(
            "participant_ids", \.participants, as: UsersForm(excess: CreateConversation.tooMany(type)))
        let id = try pass.optional("id") { if case .group(let id, _) = $0.form { id } else { nil } }
        let name = try pass.optional(
            "name", { if case .group(_, let name) = $0.form { name } else { nil } }, as: .text(Limits.nameCharacters))
        switch type {
        case .direct: form = .direct
        case .group: form = .group(id: id, name: name)
        }
    }
}

/// Users, each once, in the order of the request.
struct UsersForm: FieldForm {
    var minimum = 0
    /// Of more than `CreateConversation.mostNames` users.
    let excess: Rejection

    func read(_ name: String, of object: JSONObject) throws(Rejection) -> [UserID]? {
        guard
            let named: [UserID] = try object.levels(name, maximum: CreateConversation.mostNames, excess: excess)
        else { return nil }
        guard named.count >= minimum else { throw .badRequest(name, "empty") }
        var seen: Set<UserID> = []
        return named.filter { seen.insert($0).inserted }
    }

    func write(_ value: [UserID], to writer: inout JSONWriter) { writer.array(value) { $0.value($1) } }

    var schema: FieldSchema { .array(.user, minimum...CreateConversation.mostNames) }
}

/// `conversations/list`: the caller's conversations, the last active first.
public struct ListConversations: Query {
    public static let operation = Operation(validatedArea: "conversations", verb: "list")
    public typealias Reply = ConversationList

    public let limit: Int
    public let offset: Int
    public let archived: Bool

    public init(limit: Int = 20, offset: Int = 0, archived: Bool = false) {
        (self.limit, self.offset, self.archived) = (limit, offset, archived)
    }

    package init<Pass: FieldPass<ListConversations>>(fields pass: inout Pass) throws(Pass.Failure) {
        limit = try pass.required("limit", \.limit, as: .integer(1...Limits.pageItems), default: 20)
        offset = try pass.required("offset", \.offset, as: .integer(0...Int(Int32.max)), default: 0)
        archived = try pass.flag("archived", \.archived)
    }
}

/// `conversations/get`
public struct GetConversation: Query, ConversationRequest {
    public static let operation = Operation(validatedArea: "conversations", verb: "get")
    public typealias Reply = Conversation

    public let conversation: ConversationID

    public init(conversation: ConversationID) { self.conversation = conversation }
}
