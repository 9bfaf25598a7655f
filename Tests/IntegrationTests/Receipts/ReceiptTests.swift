import Testing

extension GatewayTests {
    @Suite("Receipts")
    struct ReceiptTests {
        let gateway: TestGateway
        let alice: DeviceClient
        let bob: DeviceClient
        let conversation: String
        /// Of three messages of Alice's.
        let ids: [JSON]

        init() throws {
            gateway = try SharedGateway.current
            let (alice, bob, conversation) = try gateway.pair()
            (self.alice, self.bob, self.conversation) = (alice, bob, conversation)
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

        @Test("watermarks only move forward: a repeat, or one further back, changes and announces nothing")
        func forwardOnly() throws {
            try alice.listen(to: conversation, "receipts")
            for kind in ["read", "delivered"] {
                let stands = try mark(kind, 2)
                #expect(try mark(kind, 2)["seq"] == 3)
                #expect(try mark(kind, 0) == stands)
            }
            try alice.accepted("profile/get")
            #expect(alice.events(on: "conversations/\(conversation)/receipts").count == 1)
        }

        @Test("what was read was delivered")
        func readImpliesDelivered() throws {
            let read = try mark("read", 1)
            let delivered = try mark("delivered", 0)
            #expect(delivered["seq"] == 2)
            #expect(delivered["last_delivered_message_id"] == ids[1])
            #expect(delivered["at"] == read["at"])
        }

        @Test("a receipt for a message of another conversation, or of none, is not found")
        func unknown() throws {
            let (carol, _, other) = try gateway.pair()
            let fields: JSON = ["conversation_id": .string(other), "message_id": ids[0]]
            #expect(try carol.refusal("receipts/read", fields) == "not_found")
            #expect(try carol.refusal("receipts/read", fields.with(["message_id": .string(newID())])) == "not_found")
            #expect(try carol.refusal("receipts/read", fields.with(["message_id": 3])) == "bad_request")
        }
    }
}
