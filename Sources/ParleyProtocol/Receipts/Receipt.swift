/// The caller has received, or read, everything up to this message: the fields of `receipts/delivered` and
/// `receipts/read`.
public struct MarkReceipt: Hashable, Sendable {
    public let kind: ReceiptKind
    public let conversation: ConversationID
    public let message: MessageID

    public init(kind: ReceiptKind, conversation: ConversationID, message: MessageID) {
        (self.kind, self.conversation, self.message) = (kind, conversation, message)
    }
}

public enum ReceiptKind: String, Sendable, CaseIterable {
    case delivered, read
}

/// The progress of a user in a conversation. Watermarks only move forward.
public struct Watermark: AddressedEvent, GatewayObject {
    package static let names = ["message.delivered", "message.read"]
    public var name: String { kind == .read ? "message.read" : "message.delivered" }
    package var topic: Topic { .conversation(conversation, .receipts) }
    package var received: ReceivedEvent { .receipt(self) }

    public let conversation: ConversationID
    public let user: UserID
    public let kind: ReceiptKind
    /// The last record.
    public let message: MessageID
    public let seq: Int
    public let at: Timestamp

    public init(
        conversation: ConversationID, user: UserID, kind: ReceiptKind, message: MessageID, seq: Int, at: Timestamp
    ) {
        self.conversation = conversation
        self.user = user
        self.kind = kind
        self.message = message
        self.seq = seq
        self.at = at
    }

    /// The name of the message field tells the kind.
    package init<Pass: FieldPass<Watermark>>(fields pass: inout Pass) throws(Pass.Failure) {
        conversation = try pass.required("conversation_id", \.conversation)
        user = try pass.required("user_id", \.user)
        let read = try pass.optional("last_read_message_id", \.readMessage, without: .omitted)
        if let read {
            (kind, message) = (.read, read)
        } else {
            (kind, message) = (.delivered, try pass.required("last_delivered_message_id", \.message))
        }
        seq = try pass.required("seq", \.seq)
        at = try pass.required("at", \.at)
    }

    private var readMessage: MessageID? { kind == .read ? message : nil }

    package func write(to writer: inout JSONWriter) { writer.object { writeMembers(to: &$0) } }
}
