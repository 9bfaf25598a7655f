import ParleyProtocol
import Testing

@testable import ParleyCrypto

@Suite("The header")
struct MessageHeaderTests {
    @Test("each field stands with its 16-bit length before it, empty where it is null")
    func exactBytes() throws {
        let id = MessageID("0b0c0000-0000-4000-8000-000000000001")
        let conversation = ConversationID("7f310000-0000-4000-8000-000000000002")
        let header = MessageHeader(
            suite: .naclBox, conversation: conversation, id: id,
            sender: DeviceAddress(user: UserID("alice"), device: DeviceID("phone")),
            type: .text, expiresIn: 3600)
        let fields = [
            "parley/v1", "nacl-box", conversation.description, id.description, "alice", "phone", "text", "", "message",
            "", "3600",
        ]
        let expected = fields.flatMap { text -> [UInt8] in [0, UInt8(text.utf8.count)] + Array(text.utf8) }
        #expect(header.bytes == expected)
    }

    @Test("written after another, it has its own bytes whichever fields differ")
    func oneAfterAnother() throws {
        let full = try MessageHeader.full(.naclBox, from: .alice())
        let changes: [(inout MessageHeader) throws -> Void] = [
            { $0.suite = .groupBox }, { $0.conversation = .random() }, { $0.id = .random() },
            { $0.sender = try Party.carol().address }, { $0.type = .image }, { $0.replyTo = nil },
            { $0.kind = .reaction }, { $0.target = .random() }, { $0.expiresIn = 36 },
        ]
        #expect(changes.count == Mirror(reflecting: full).children.count)
        var headers = HeaderBytes()
        for change in changes {
            var changed = full
            try change(&changed)
            #expect(changed != full)
            // Each of the two is kept, as it was: they may share their storage with what is written next.
            let written = [full, changed, full, full].map { headers.write($0) }
            #expect(written == [full.bytes, changed.bytes, full.bytes, full.bytes])
        }
    }
}
