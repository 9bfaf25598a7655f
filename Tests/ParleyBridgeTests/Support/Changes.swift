import ParleyProtocol

@testable import ParleyBridge

/// `messages/edit`, `…/delete` or `…/react` of a message.
func change(
    _ kind: RecordKind, _ message: MessageID, in conversation: ConversationID, id: MessageID = .random(),
    text: String = "a change of some length", from sender: DeviceAddress = device("alice", "phone")
) throws -> Incoming {
    let sealed = SealedContent(suite: .naclBox, content: Array(text.utf8), nonce: [UInt8](repeating: 9, count: 24))
    let (request, change): (RequestKind, ChangeMessage.Change) =
        switch kind {
        case .edit, .message: (.editMessage, .edit(sealed))
        case .delete: (.deleteMessage, .delete)
        case .reaction: (.reactToMessage, .react(sealed))
        }
    let payload = Request.changeMessage(
        ChangeMessage(id: id, conversation: conversation, message: message, change: change)
    ).payload(requestID: nil)
    return try ParleyBridgeTests.request(request, String(decoding: payload, as: UTF8.self), from: sender)
}

/// `messages/send` of a message that disappears after so many seconds.
func send(
    _ conversation: ConversationID, id: MessageID = .random(), expiresIn seconds: Int,
    text: String = "a message of some length", from sender: DeviceAddress = device("alice", "phone")
) throws -> Incoming {
    let message = SendMessage(
        id: id, conversation: conversation, type: .text, suite: .naclBox, content: Array(text.utf8),
        nonce: [UInt8](repeating: 9, count: 24), expiresIn: seconds)
    return try request(.sendMessage, String(decoding: message.payload(), as: UTF8.self), from: sender)
}
