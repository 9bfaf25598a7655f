// The fields of requests that have one field, a page, or none.

/// A request for a conversation: `conversation_id`.
package protocol ConversationRequest: Request {
    var conversation: ConversationID { get }
    init(conversation: ConversationID)
}

extension ConversationRequest {
    package init<Pass: FieldPass<Self>>(fields pass: inout Pass) throws(Pass.Failure) {
        self.init(conversation: try pass.required("conversation_id", \.conversation))
    }
}

/// A request for a group: `group_id`.
package protocol GroupRequest: Request {
    var group: GroupID { get }
    init(group: GroupID)
}

extension GroupRequest {
    package init<Pass: FieldPass<Self>>(fields pass: inout Pass) throws(Pass.Failure) {
        self.init(group: try pass.required("group_id", \.group))
    }
}

/// A request for a user: `user_id`.
package protocol UserRequest: Request {
    var user: UserID { get }
    init(user: UserID)
}

extension UserRequest {
    package init<Pass: FieldPass<Self>>(fields pass: inout Pass) throws(Pass.Failure) {
        self.init(user: try pass.required("user_id", \.user))
    }
}

/// A request for one of the caller's own devices: `device_id`.
package protocol DeviceRequest: Request {
    var device: DeviceID { get }
    init(device: DeviceID)
}

extension DeviceRequest {
    package init<Pass: FieldPass<Self>>(fields pass: inout Pass) throws(Pass.Failure) {
        self.init(device: try pass.required("device_id", \.device))
    }
}

/// A request for one thing by its id: `id`.
package protocol IDRequest: Request {
    associatedtype ID: UUIDIdentifier
    var id: ID { get }
    init(id: ID)
}

extension IDRequest {
    package init<Pass: FieldPass<Self>>(fields pass: inout Pass) throws(Pass.Failure) {
        self.init(id: try pass.required("id", \.id))
    }
}

/// A request for a part of a list: `limit?=50, cursor?`.
package protocol PageRequest: Request {
    var page: Page { get }
    init(page: Page)
}

extension PageRequest {
    package init<Pass: FieldPass<Self>>(fields pass: inout Pass) throws(Pass.Failure) {
        self.init(page: try pass.part(\.page))
    }
}

/// A request without fields.
package protocol EmptyRequest: Request {
    init()
}

extension EmptyRequest {
    package init<Pass: FieldPass<Self>>(fields pass: inout Pass) throws(Pass.Failure) { self.init() }
}
