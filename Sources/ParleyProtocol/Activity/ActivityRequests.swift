/// `activity/post`: an achievement of the user's, as a device reports it.
public struct PostActivity: RepeatableCommand {
    public static let operation = Operation(validatedArea: "activity", verb: "post")
    package static let refusalOfOperators: String? = "An operator achieves nothing."
    public typealias Reply = ActivityItem

    public let id: ActivityID
    public let type: ActivityType.Posted
    public let title: String
    public let description: String?
    /// A JSON object without nested objects or arrays.
    public let metadata: [UInt8]

    public static let noMetadata = Array("{}".utf8)

    public init(
        id: ActivityID, type: ActivityType.Posted, title: String, description: String? = nil,
        metadata: [UInt8] = noMetadata
    ) {
        (self.id, self.type, self.title, self.description, self.metadata) = (id, type, title, description, metadata)
    }

    package init<Pass: FieldPass<PostActivity>>(fields pass: inout Pass) throws(Pass.Failure) {
        id = try pass.required("id", \.id)
        type = try pass.required("type", \.type)
        title = try pass.required("title", \.title, as: .nonemptyText(Limits.nameCharacters))
        description = try pass.optional("description", \.description, as: .text(Limits.descriptionCharacters))
        metadata = try pass.required("metadata", \.metadata, as: FlatObjectForm(), default: PostActivity.noMetadata)
    }

    package func identityPreimage(sender: DeviceAddress) -> [UInt8] {
        IdentityPreimage(of: sender).field(type.rawValue).field(title).field(description).field(metadata).bytes
    }
}

/// An object without nested objects or arrays, as in the payload: a stranger's nesting would add to that of every reply
/// that contains it.
private struct FlatObjectForm: FieldForm {
    func read(_ name: String, of object: JSONObject) throws(Rejection) -> [UInt8]? {
        guard let value = try object.object(name) else { return nil }
        guard value.scanned.list.allSatisfy({ $0.kind != .object && $0.kind != .array }) else {
            throw .badRequest(name, "holds an object or an array")
        }
        return try object.json(name, maximumBytes: Limits.metadataBytes)
    }

    func write(_ value: [UInt8], to writer: inout JSONWriter) { writer.raw(value) }

    var schema: FieldSchema { FieldSchema(.flatObject) }
}

/// `activity/list`: the achievements of the caller and their friends, or of one of them.
public struct ListActivity: Query {
    public static let operation = Operation(validatedArea: "activity", verb: "list")
    public typealias Reply = ListPage<ActivityItem>

    /// The user; `nil` for the caller and their friends.
    public let user: UserID?
    public let page: Page

    public init(of user: UserID? = nil, page: Page = Page()) { (self.user, self.page) = (user, page) }

    package init<Pass: FieldPass<ListActivity>>(fields pass: inout Pass) throws(Pass.Failure) {
        user = try pass.optional("user_id", \.user)
        page = try pass.part(\.page)
    }
}

/// `activity/react`: replaces the caller's earlier reaction to the item.
public struct ReactToActivity: Command {
    public static let operation = Operation(validatedArea: "activity", verb: "react")
    public typealias Reply = ActivityItem

    public let id: ActivityID
    public let emoji: Emoji

    public init(id: ActivityID, emoji: Emoji) { (self.id, self.emoji) = (id, emoji) }

    package init<Pass: FieldPass<ReactToActivity>>(fields pass: inout Pass) throws(Pass.Failure) {
        id = try pass.required("id", \.id)
        emoji = try pass.required("emoji", \.emoji)
    }
}

/// `activity/unreact`: removes the caller's reaction.
public struct UnreactToActivity: Command, IDRequest {
    public static let operation = Operation(validatedArea: "activity", verb: "unreact")
    public typealias Reply = ActivityItem

    public let id: ActivityID

    public init(id: ActivityID) { self.id = id }
}
