import Testing

extension GatewayTests {
    @Suite("Receipts")
    final class ReceiptTests: PairSuite {
        /// Of three messages of Alice's.
        private var ids: [JSON] = []

        override init() throws {
            try super.init()
            ids = try (0..<3).map { _ in try alice.accepted("messages/send", message(conversation))["id"] }
        }

        private func mark(_ kind: String, _ index: Int) throws -> JSON {
            try bob.accepted(
                "receipts/\(kind)", ["conversation_id": .string(conversation), "message_id": ids[index]])
        }

        @Test("a receipt moves the watermark and is announced to the conversation")
        func announced() throws {
            try alice.listen(to: conversation, "receipts")
            let delivered = try mark("delivered", 1)
            #expect(delivered["seq"] == 2)
            #expect(delivered["last_delivered_message_id"] == ids[1])
            #expect(delivered["user_id"].text == bob.user)
            let topic = "conversations/\(conversation)/receipts"
            #expect(try alice.event("message.delivered", on: topic) == delivered)
            let read = try mark("read", 0)
            #expect(read["last_read_message_id"] == ids[0])
            #expect(try alice.event("message.read", on: topic) == read)
        }

        @Test("reading on one device clears on the other, live or when it comes back", .oneMachine(.order))
        func otherDevice() throws {
            let laptop = try gateway.client("laptop", of: bob.user)
            try laptop.subscribe("parley/v1/users/\(bob.user)/events")
            let read = try mark("read", 1)
            let cleared = try laptop.event("conversation.read", on: "users/\(bob.user)/events")
            #expect(cleared["conversation_id"].text == conversation && cleared["last_read_message_id"] == ids[1])
            #expect(cleared["seq"] == 2 && cleared["unread_count"] == 1 && cleared["at"] == read["at"])
            // Slower, it announces nothing, and is answered with where its user stands.
            try alice.listen(to: conversation, "receipts")
            let slower = try laptop.accepted(
                "receipts/read", ["conversation_id": .string(conversation), "message_id": ids[0]])
            #expect(slower == read)
            try alice.accepted("profile/get")
            #expect(alice.events(on: "conversations/\(conversation)/receipts").isEmpty)
            // One that was not there has it from sync.
            let tablet = try gateway.client("tablet", of: bob.user)
            let entry = try tablet.accepted("sync/get", ["cursors": [:]])["conversations"][0]
            #expect(entry["unread_count"] == 1 && entry["watermarks"][bob.user] == ["delivered": 2, "read": 2])
        }
    }
}
