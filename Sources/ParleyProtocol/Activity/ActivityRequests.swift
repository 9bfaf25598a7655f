/// `activity/post`: what a device says that its user has achieved.
public struct PostActivity: Command {
    public static let operation = Operation(validatedArea: "activity", verb: "post")
    public static let fields = "id, type, title, description?, metadata?"
    public typealias Reply = ActivityItem

    public let id: ActivityID
    public let type: ActivityType.Posted
    public let title: String
    public let description: String?
    /// A JSON object without objects or arrays in it.
    public let metadata: [UInt8]

    public static let noMetadata = Array("{}".utf8)

    public init(
        id: ActivityID, type: ActivityType.Posted, title: String, description: String? = nil,
        metadata: [UInt8] = noMetadata
    ) {
        self.id = id
        self.type = type
        self.title = title
        self.description = description
        self.metadata = metadata
    }

    public init(_ object: JSONObject) throws(Rejection) {
        id = try object.uuid("id").required("id")
        type = try object.choice("type").required("type")
        title = try object.text("title", maximum: Limits.nameCharacters).required("title")
        if title.isEmpty { throw .badRequest("title", "empty") }
        description = try object.text("description", maximum: Limits.descriptionCharacters)
        metadata = try object.flatObject("metadata", maximumBytes: Limits.metadataBytes) ?? PostActivity.noMetadata
    }

    public func writeFields(to object: inout JSONWriter) {
        object.member("id", id)
        object.member("type", type.rawValue)
        object.member("title", title)
        if let description { object.member("description", description) }
        object.member("metadata", raw: metadata)
    }

    /// What makes two requests of one id the same: everything that was sent, and who sent it.
    public func identityPreimage(sender: DeviceAddress) -> [UInt8] {
        var preimage = IdentityPreimage(reserving: metadata.count + 512)
        preimage.field(sender.user.text.utf8)
        preimage.field(sender.device.text.utf8)
        preimage.field(type.rawValue.utf8)
        preimage.field(title.utf8)
        preimage.field((description ?? "").utf8)
        preimage.field(metadata)
        return preimage.bytes
    }
}

extension JSONObject {
    /// An object without objects or arrays in it, as it stands in the payload: nesting that a stranger has chosen would add to
    /// that of everything it is put into.
    fileprivate func flatObject(_ name: String, maximumBytes: Int) throws(Rejection) -> [UInt8]? {
        guard let object = try object(name) else { return nil }
        guard object.scanned.list.allSatisfy({ $0.kind != .object && $0.kind != .array }) else {
            throw .badRequest(name, "holds an object or an array")
        }
        return try json(name, maximumBytes: maximumBytes)
    }
}

/// `activity/list`: what the caller and their friends have achieved, or one of them.
public struct ListActivity: Query {
    public static let operation = Operation(validatedArea: "activity", verb: "list")
    public static let fields = "user_id?, limit?=50, cursor?"
    public typealias Reply = ListPage<ActivityItem>

    /// Whose; `nil` for the caller's and their friends'.
    public let user: UserID?
    public let page: Page

    public init(of user: UserID? = nil, page: Page = Page()) {
        self.user = user
        self.page = page
    }

    public init(_ object: JSONObject) throws(Rejection) {
        user = try object.level("user_id")
        page = try Page(object)
    }

    public func writeFields(to object: inout JSONWriter) {
        if let user { object.member("user_id", user) }
        page.writeFields(to: &object)
    }
}

/// `activity/react`: in the place of the caller's earlier reaction to the item.
public struct ReactToActivity: Command {
    public static let operation = Operation(validatedArea: "activity", verb: "react")
    public static let fields = "id, emoji"
    public typealias Reply = ActivityItem

    public let id: ActivityID
    public let emoji: Emoji

    public init(id: ActivityID, emoji: Emoji) {
        self.id = id
        self.emoji = emoji
    }

    public init(_ object: JSONObject) throws(Rejection) {
        id = try object.uuid("id").required("id")
        let text = try object.text("emoji", maximum: Limits.emojiBytes).required("emoji")
        guard let emoji = Emoji(text) else { throw .badRequest("emoji", "not one emoji") }
        self.emoji = emoji
    }

    public func writeFields(to object: inout JSONWriter) {
        object.member("id", id)
        object.member("emoji", emoji.text)
    }
}

/// `activity/unreact`: takes back the caller's reaction.
public struct UnreactToActivity: Command {
    public static let operation = Operation(validatedArea: "activity", verb: "unreact")
    public static let fields = "id"
    public typealias Reply = ActivityItem

    public let id: ActivityID

    public init(id: ActivityID) { self.id = id }

    public init(_ object: JSONObject) throws(Rejection) {
        id = try object.uuid("id").required("id")
    }

    public func writeFields(to object: inout JSONWriter) { object.member("id", id) }
}
