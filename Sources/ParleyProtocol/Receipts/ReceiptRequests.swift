/// An operation that moves the caller's watermark (protocol §5).
package protocol ReceiptRequest: Command where Reply == Watermark {
    var mark: MarkReceipt { get }
    init(conversation: ConversationID, message: MessageID)
}

extension ReceiptRequest {
    package init<Pass: FieldPass<Self>>(fields pass: inout Pass) throws(Pass.Failure) {
        self.init(
            conversation: try pass.required("conversation_id", \.mark.conversation),
            message: try pass.required("message_id", \.mark.message))
    }
}

/// `receipts/delivered`
public struct MarkDelivered: ReceiptRequest {
    public static let operation = Operation(validatedArea: "receipts", verb: "delivered")

    public let mark: MarkReceipt

    public init(conversation: ConversationID, message: MessageID) {
        mark = MarkReceipt(kind: .delivered, conversation: conversation, message: message)
    }
}

/// `receipts/read`
public struct MarkRead: ReceiptRequest {
    public static let operation = Operation(validatedArea: "receipts", verb: "read")

    public let mark: MarkReceipt

    public init(conversation: ConversationID, message: MessageID) {
        mark = MarkReceipt(kind: .read, conversation: conversation, message: message)
    }
}

extension MarkReceipt {
    package var request: any ReceiptRequest {
        switch kind {
        case .delivered: MarkDelivered(conversation: conversation, message: message)
        case .read: MarkRead(conversation: conversation, message: message)
        }
    }
}
