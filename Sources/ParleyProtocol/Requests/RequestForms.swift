// Requests that take one field, a page, or nothing: the fields of such requests are declared here.

/// A request for a conversation: `conversation_id`.
public protocol ConversationRequest: Request {
    var conversation: ConversationID { get }
    init(conversation: ConversationID)
}

extension ConversationRequest {
    public static var fields: String { "conversation_id" }

    public init(_ object: JSONObject) throws(Rejection) {
        self.init(conversation: try object.uuid("conversation_id").required("conversation_id"))
    }

    public func writeFields(to object: inout JSONWriter) { object.member("conversation_id", conversation) }
}

/// A request for a user: `user_id`.
public protocol UserRequest: Request {
    var user: UserID { get }
    init(user: UserID)
}

extension UserRequest {
    public static var fields: String { "user_id" }

    public init(_ object: JSONObject) throws(Rejection) {
        self.init(user: try object.level("user_id").required("user_id"))
    }

    public func writeFields(to object: inout JSONWriter) { object.member("user_id", user) }
}

/// A request for a device of the caller's own user: `device_id`.
public protocol DeviceRequest: Request {
    var device: DeviceID { get }
    init(device: DeviceID)
}

extension DeviceRequest {
    public static var fields: String { "device_id" }

    public init(_ object: JSONObject) throws(Rejection) {
        self.init(device: try object.level("device_id").required("device_id"))
    }

    public func writeFields(to object: inout JSONWriter) { object.member("device_id", device) }
}

/// A request for a part of a list: `limit?=50, cursor?`.
public protocol PageRequest: Request {
    var page: Page { get }
    init(page: Page)
}

extension PageRequest {
    public static var fields: String { "limit?=50, cursor?" }

    public init(_ object: JSONObject) throws(Rejection) { self.init(page: try Page(object)) }

    public func writeFields(to object: inout JSONWriter) { page.writeFields(to: &object) }
}

/// A request without fields.
public protocol EmptyRequest: Request {
    init()
}

extension EmptyRequest {
    public static var fields: String { "" }

    public init(_ object: JSONObject) throws(Rejection) { self.init() }

    public func writeFields(to object: inout JSONWriter) {}
}
