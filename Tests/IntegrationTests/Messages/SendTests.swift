import Testing

extension GatewayTests {
    @Suite("Sending")
    struct SendTests {
        let gateway: TestGateway

        init() throws { gateway = try SharedGateway.current }

        @Test("a message is committed, announced to its conversation and answered")
        func send() throws {
            let (alice, bob, conversation) = try gateway.pair()
            try bob.listen(to: conversation, "messages")
            let sent = message(conversation)
            let data = try alice.accepted("messages/send", sent)
            #expect(data.keys == ["id", "epoch", "seq", "created_at", "status"])
            #expect(data["id"] == sent["id"])
            #expect(data["seq"] == 1)
            #expect(data["status"] == "sent")
            let event = try bob.event("message.new", on: "conversations/\(conversation)/messages")
            #expect(event["seq"] == 1)
            #expect(event["epoch"] == data["epoch"])
            #expect(event["created_at"] == data["created_at"])
            for field in ["id", "conversation_id", "message_type", "suite", "encrypted_content", "nonce"] {
                #expect(event[field] == sent[field])
            }
            #expect(event["sender_id"].text == alice.user)
            #expect(event["sender_device_id"] == "phone")
            #expect(event["kind"] == "message")
        }
    }
}
