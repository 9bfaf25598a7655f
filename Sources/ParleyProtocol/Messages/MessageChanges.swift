/// An operation that changes a message (protocol §5).
public protocol MessageChange: Command where Reply == AcceptedChange {
    var change: ChangeMessage { get }
}

extension MessageChange {
    public func writeFields(to object: inout JSONWriter) { change.writeFields(to: &object) }
}

/// `messages/edit`
public struct EditMessage: MessageChange {
    public static let operation = Operation(validatedArea: "messages", verb: "edit")
    public static let fields =
        "id, conversation_id, message_id, suite, encrypted_content, nonce, recipient_keys?, recipient_key_id?"
    public typealias Reply = AcceptedChange

    public let change: ChangeMessage

    public init(id: MessageID, conversation: ConversationID, message: MessageID, sealed: SealedContent) {
        change = ChangeMessage(id: id, conversation: conversation, message: message, change: .edit(sealed))
    }

    public init(_ object: JSONObject) throws(Rejection) {
        change = try ChangeMessage(object) { (object) throws(Rejection) in .edit(try SealedContent(object)) }
    }

    fileprivate init(checked change: ChangeMessage) { self.change = change }
}

/// `messages/delete`: for everybody.
public struct DeleteMessage: MessageChange {
    public static let operation = Operation(validatedArea: "messages", verb: "delete")
    public static let fields = "id, conversation_id, message_id"
    public typealias Reply = AcceptedChange

    public let change: ChangeMessage

    public init(id: MessageID, conversation: ConversationID, message: MessageID) {
        change = ChangeMessage(id: id, conversation: conversation, message: message, change: .delete)
    }

    public init(_ object: JSONObject) throws(Rejection) {
        change = try ChangeMessage(object) { (_) throws(Rejection) in .delete }
    }

    fileprivate init(checked change: ChangeMessage) { self.change = change }
}

/// `messages/react`: an empty reaction inside removes the sender's.
public struct ReactToMessage: MessageChange {
    public static let operation = Operation(validatedArea: "messages", verb: "react")
    public static let fields =
        "id, conversation_id, message_id, suite, encrypted_content, nonce, recipient_keys?, recipient_key_id?"
    public typealias Reply = AcceptedChange

    public let change: ChangeMessage

    public init(id: MessageID, conversation: ConversationID, message: MessageID, sealed: SealedContent) {
        change = ChangeMessage(id: id, conversation: conversation, message: message, change: .react(sealed))
    }

    public init(_ object: JSONObject) throws(Rejection) {
        change = try ChangeMessage(object) { (object) throws(Rejection) in .react(try SealedContent(object)) }
    }

    fileprivate init(checked change: ChangeMessage) { self.change = change }
}

extension ChangeMessage {
    /// The operation that asks for this change.
    public var request: any MessageChange {
        switch change {
        case .edit: EditMessage(checked: self)
        case .delete: DeleteMessage(checked: self)
        case .react: ReactToMessage(checked: self)
        }
    }
}
