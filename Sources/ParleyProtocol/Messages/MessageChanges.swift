/// An operation that changes a message (protocol §5).
package protocol MessageChange: RepeatableCommand where Reply == AcceptedChange {
    var change: ChangeMessage { get }
}

extension MessageChange {
    package func identityPreimage(sender: DeviceAddress) -> [UInt8] { change.identityPreimage(sender: sender) }
}

extension FieldPass where Object: MessageChange {
    /// The fields of a change with new content.
    fileprivate mutating func change(
        _ kind: (SealedContent) -> ChangeMessage.Change
    ) throws(Failure) -> ChangeMessage {
        let (id, conversation, message) = try target()
        let sealed = try part(\.change.sealed, shownBy: "suite")
        return try combined(
            \.change,
            from: sealed.map {
                ChangeMessage(id: id, conversation: conversation, message: message, change: kind($0))
            }, or: .badRequest("suite", "missing"))
    }

    fileprivate mutating func target() throws(Failure) -> (MessageID, ConversationID, MessageID) {
        (
            try required("id", \.change.id), try required("conversation_id", \.change.conversation),
            try required("message_id", \.change.message)
        )
    }
}

/// `messages/edit`
public struct EditMessage: MessageChange {
    public static let operation = Operation(validatedArea: "messages", verb: "edit")

    public let change: ChangeMessage

    fileprivate init(checked change: ChangeMessage) { self.change = change }

    package init<Pass: FieldPass<EditMessage>>(fields pass: inout Pass) throws(Pass.Failure) {
        change = try pass.change(ChangeMessage.Change.edit)
    }
}

/// `messages/delete`: for everybody.
public struct DeleteMessage: MessageChange {
    public static let operation = Operation(validatedArea: "messages", verb: "delete")

    public let change: ChangeMessage

    fileprivate init(checked change: ChangeMessage) { self.change = change }

    package init<Pass: FieldPass<DeleteMessage>>(fields pass: inout Pass) throws(Pass.Failure) {
        let (id, conversation, message) = try pass.target()
        change = ChangeMessage(id: id, conversation: conversation, message: message, change: .delete)
    }
}

/// `messages/react`: an empty reaction removes the sender's.
public struct ReactToMessage: MessageChange {
    public static let operation = Operation(validatedArea: "messages", verb: "react")

    public let change: ChangeMessage

    fileprivate init(checked change: ChangeMessage) { self.change = change }

    package init<Pass: FieldPass<ReactToMessage>>(fields pass: inout Pass) throws(Pass.Failure) {
        change = try pass.change(ChangeMessage.Change.react)
    }
}

extension ChangeMessage {
    package var request: any MessageChange {
        switch change {
        case .edit: EditMessage(checked: self)
        case .delete: DeleteMessage(checked: self)
        case .react: ReactToMessage(checked: self)
        }
    }
}
