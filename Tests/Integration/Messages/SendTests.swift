import ParleyProtocol
import Testing

extension GatewayTests {
    @Suite("Sending")
    final class SendTests: PairSuite {
        private var topic: String { "conversations/\(conversation)/messages" }

        private func history() throws -> [JSON] {
            try bob.accepted("history/get", ["conversation_id": .string(conversation)])["messages"].elements
        }

        @Test("a message is committed, announced to its conversation and answered")
        func send() throws {
            try bob.listen(to: conversation, "messages")
            let sent = message(conversation)
            let data = try alice.accepted("messages/send", sent)
            #expect(data.keys == ["id", "epoch", "seq", "created_at", "status"])
            #expect(data["id"] == sent["id"])
            #expect(data["seq"] == 1)
            #expect(data["status"] == "sent")
            let event = try bob.event("message.new", on: topic)
            #expect(event["seq"] == 1)
            #expect(event["epoch"] == data["epoch"])
            #expect(event["created_at"] == data["created_at"])
            for field in ["id", "conversation_id", "message_type", "suite", "encrypted_content", "nonce"] {
                #expect(event[field] == sent[field])
            }
            #expect(event["sender_id"].text == alice.user)
            #expect(event["sender_device_id"] == "phone")
            #expect(event["kind"] == "message")
            #expect(try history() == [event])
        }

        @Test("the echo is the reply where it is asked for, and a repeat of it is replied to")
        func echo() throws {
            try alice.listen(to: conversation, "messages")
            let sent = message(conversation, ["reply": "event"])
            let correlation = try alice.ask("messages/send", sent.bytes)
            let event = try alice.event("message.new", on: topic)
            #expect(event["id"] == sent["id"])
            let reply = try alice.request("messages/send", sent)
            #expect(reply["ok"] == true)
            #expect(reply["data"]["seq"] == event["seq"])
            #expect(reply["data"]["created_at"] == event["created_at"])
            #expect(!alice.inbox.contains { $0.correlation == correlation })
            #expect(alice.events(on: topic).isEmpty)
        }

        @Test("another's use of an id is a conflict: another user's, and another device's of the same user")
        func foreignID() throws {
            let sent = message(conversation)
            try alice.accepted("messages/send", sent)
            #expect(try bob.refusal("messages/send", sent) == "conflict")
            let tablet = try gateway.client("tablet", of: alice.user)
            #expect(try tablet.refusal("messages/send", sent) == "conflict")
            let (carol, _, other) = try gateway.pair()
            #expect(
                try carol.refusal("messages/send", sent.with(["conversation_id": .string(other)])) == "conflict")
            #expect(try history().count == 1)
        }

        @Test("a reply to a message names one of the same conversation")
        func replyTo() throws {
            let first = message(conversation)
            try alice.accepted("messages/send", first)
            let answer = message(conversation, ["reply_to": first["id"]])
            try bob.accepted("messages/send", answer)
            #expect(try history().last?["reply_to"] == first["id"])
            let unknown = message(conversation, ["reply_to": .string(newID())])
            #expect(try bob.refusal("messages/send", unknown) == "not_found")
            let (carol, _, other) = try gateway.pair()
            #expect(try carol.refusal("messages/send", message(other, ["reply_to": first["id"]])) == "not_found")
        }

        @Test("the writes of one device are carried out in the order in which it sent them")
        func order() throws {
            let ids = (0..<200).map { _ in newID() }
            let asked = try ids.map { try alice.ask("messages/send", message(conversation, id: $0).bytes) }
            let seqs = try asked.map { try alice.reply(to: $0)["data"]["seq"].int }
            #expect(seqs == (1...200).map { $0 })
        }

        @Test("a read sees every write that its device sent before it")
        func readAfterWrite() throws {
            for _ in 0..<20 {
                let sent = message(conversation)
                _ = try alice.ask("messages/send", sent.bytes)
                let page = try alice.accepted("history/get", ["conversation_id": .string(conversation), "limit": 1])
                #expect(page["messages"][0]["id"] == sent["id"])
            }
        }
    }
}
