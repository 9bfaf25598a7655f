import ParleyProtocol
import TestNames

@testable import ParleyBridge

/// `messages/edit`, `…/delete` or `…/react` of a message.
func change(
    _ kind: RecordKind, _ message: MessageID, in conversation: ConversationID, id: MessageID = .random(),
    text: String = "a change of some length", from sender: DeviceAddress = device("alice", "phone")
) throws -> IncomingCommand {
    let sealed = SealedContent(suite: .naclBox, content: Array(text.utf8), nonce: [UInt8](repeating: 9, count: 24))
    let change: ChangeMessage.Change =
        switch kind {
        case .edit, .message: .edit(sealed)
        case .delete: .delete
        case .reaction: .react(sealed)
        }
    return try request(
        ChangeMessage(id: id, conversation: conversation, message: message, change: change).request, from: sender)
}

/// `messages/send` of a message that disappears after so many seconds.
func send(
    _ conversation: ConversationID, id: MessageID = .random(), expiresIn seconds: Int,
    text: String = "a message of some length", from sender: DeviceAddress = device("alice", "phone")
) throws -> IncomingCommand {
    let message = SendMessage(
        id: id, conversation: conversation, type: .text, suite: .naclBox, content: Array(text.utf8),
        nonce: [UInt8](repeating: 9, count: 24), expiresIn: seconds)
    return try request(SendMessage.self, String(decoding: message.payload(), as: UTF8.self), from: sender)
}
