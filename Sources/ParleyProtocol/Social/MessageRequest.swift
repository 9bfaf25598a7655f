/// The one message of somebody who may not write without asking: an item of `requests/list`, and the event
/// `message.request` on the recipient's own topic.
public struct MessageRequest: Hashable, Sendable {
    public let message: MessageRecord

    public init(message: MessageRecord) { self.message = message }

    public func write(to writer: inout JSONWriter) {
        writer.object { object in
            object.member("conversation_id", message.conversation)
            object.member("user_id", message.sender.user)
            object.member("created_at", message.createdAt)
            object.key("message")
            message.write(to: &object)
        }
    }

    public func writeEvent(to writer: inout JSONWriter) {
        writer.event("message.request") { write(to: &$0) }
    }
}
