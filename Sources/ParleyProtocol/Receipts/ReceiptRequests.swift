/// An operation that moves the caller's watermark (protocol §5).
public protocol ReceiptRequest: Command where Reply == Watermark {
    var mark: MarkReceipt { get }
}

extension ReceiptRequest {
    public func writeFields(to object: inout JSONWriter) { mark.writeFields(to: &object) }
}

/// `receipts/delivered`
public struct MarkDelivered: ReceiptRequest {
    public static let operation = Operation(validatedArea: "receipts", verb: "delivered")
    public static let fields = "conversation_id, message_id"
    public typealias Reply = Watermark

    public let mark: MarkReceipt

    public init(conversation: ConversationID, message: MessageID) {
        mark = MarkReceipt(kind: .delivered, conversation: conversation, message: message)
    }

    public init(_ object: JSONObject) throws(Rejection) { mark = try MarkReceipt(.delivered, object) }
}

/// `receipts/read`
public struct MarkRead: ReceiptRequest {
    public static let operation = Operation(validatedArea: "receipts", verb: "read")
    public static let fields = "conversation_id, message_id"
    public typealias Reply = Watermark

    public let mark: MarkReceipt

    public init(conversation: ConversationID, message: MessageID) {
        mark = MarkReceipt(kind: .read, conversation: conversation, message: message)
    }

    public init(_ object: JSONObject) throws(Rejection) { mark = try MarkReceipt(.read, object) }
}

extension MarkReceipt {
    /// The operation that asks for it.
    public var request: any ReceiptRequest {
        switch kind {
        case .delivered: MarkDelivered(conversation: conversation, message: message)
        case .read: MarkRead(conversation: conversation, message: message)
        }
    }
}
