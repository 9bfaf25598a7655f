import ParleyCrypto
import ParleyProtocol
import Testing

@Suite("The header")
struct MessageHeaderTests {
    @Test("each field stands with its 16-bit length before it, empty where it is null")
    func exactBytes() throws {
        let id = try #require(MessageID("0b0c0000-0000-4000-8000-000000000001"))
        let conversation = try #require(ConversationID("7f310000-0000-4000-8000-000000000002"))
        let header = MessageHeader(
            suite: .naclBox, conversation: conversation, id: id,
            sender: DeviceAddress(user: try #require(UserID("alice")), device: try #require(DeviceID("phone"))),
            type: .text, expiresIn: 3600)
        let fields = [
            "parley/v1", "nacl-box", conversation.description, id.description, "alice", "phone", "text", "", "message",
            "", "3600",
        ]
        let expected = fields.flatMap { text -> [UInt8] in [0, UInt8(text.utf8.count)] + Array(text.utf8) }
        #expect(header.bytes == expected)
    }
}
