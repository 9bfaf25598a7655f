import ParleyProtocol
import Sodium
import Testing

extension GatewayTests {
    @Suite("Conversations")
    final class ConversationTests: TrioSuite {
        private func group(_ members: DeviceClient...) -> JSON {
            [
                "id": .string(newID()), "type": "group", "name": "Morning run",
                "participant_ids": .array(members.map { .string($0.user) }),
            ]
        }

        @Test("the id of a direct conversation follows from its two users, whoever makes it")
        func directID() throws {
            let (one, other) = (UserID(validated: alice.user), UserID(validated: bob.user))
            let digest = try SHA256.hash(ConversationID.directPreimage(one, other).span)
            let expected = try #require(UUIDValue.nameBased(digest: digest)).textForm
            let made = try alice.accepted(
                "conversations/create", ["type": "direct", "participant_ids": [.string(bob.user)]])
            #expect(made["id"].text == expected)
            #expect(made["type"] == "direct")
            #expect(made["members"].elements.map { $0["role"] } == ["member", "member"])
            let again = try bob.accepted(
                "conversations/create",
                ["type": "direct", "participant_ids": [.string(alice.user), .string(bob.user)]])
            #expect(again == made)
        }

        @Test("a group is made with its maker as admin, and its members learn of it")
        func group() throws {
            for member in [alice, bob, carol] { try member.subscribe("parley/v1/users/\(member.user)/events") }
            let request = group(bob, carol)
            let made = try alice.accepted("conversations/create", request)
            #expect(made["id"] == request["id"])
            #expect(made["name"] == "Morning run")
            #expect(made["created_by"].text == alice.user)
            #expect(made["last_seq"] == 0)
            let roles = Dictionary(
                uniqueKeysWithValues: made["members"].elements.map { ($0["user_id"].text ?? "", $0["role"]) })
            #expect(roles == [alice.user: "admin", bob.user: "member", carol.user: "member"])
            for member in [alice, bob, carol] {
                #expect(try member.event("conversation.created", on: "users/\(member.user)/events") == made)
                #expect(try member.accepted("conversations/get", ["conversation_id": made["id"]]) == made)
            }
        }

        @Test("what a conversation is stays on its topic for whoever subscribes later")
        func info() throws {
            let made = try alice.accepted("conversations/create", group(bob))
            let id = try #require(made["id"].text)
            let topic = "parley/v1/conversations/\(id)/info"
            func subscribed() throws -> DeviceClient.Message {
                try bob.listen(to: id, "info")
                return try bob.take("info") { $0.topic == topic }
            }
            var retained = try subscribed()
            // Another cell publishes it later than the reply by which its maker knows that it is there.
            if SiteForm.current.hasCells, !retained.isRetained { retained = try subscribed() }
            #expect(retained.isRetained)
            #expect(retained.json["type"] == "conversation.updated")
            #expect(retained.json["data"] == made.without("last_seq"))
            #expect(try carol.subscribe(topic) == 0x87)
        }

        @Test("the list has the last active first, with what is unread")
        func list() throws {
            let (first, second) = (try alice.group(with: bob), try alice.group(with: bob, carol))
            let sent = message(first)
            try alice.accepted("messages/send", sent)
            try alice.accepted("messages/send", message(first))
            let list = try bob.accepted("conversations/list")
            #expect(list["conversations"].elements.map { $0["id"].text } == [first, second])
            #expect(list["conversations"][0]["unread_count"] == 2)
            #expect(list["conversations"][0]["last_message"]["seq"] == 2)
            #expect(list["conversations"][1]["last_message"] == .null)
            #expect([list["total"], list["limit"], list["offset"]] == [2, 20, 0])
            try bob.accepted("receipts/read", ["conversation_id": .string(first), "message_id": sent["id"]])
            let page = try bob.accepted("conversations/list", ["limit": 1])
            #expect(page["conversations"].elements.count == 1)
            #expect(page["conversations"][0]["unread_count"] == 1)
            #expect(page["conversations"][0]["last_read_seq"] == 1)
            let rest = try bob.accepted("conversations/list", ["limit": 1, "offset": 1])
            #expect(rest["conversations"].elements.map { $0["id"].text } == [second])
            #expect(try alice.accepted("conversations/list")["conversations"][0]["unread_count"] == 0)
            #expect(try bob.accepted("conversations/list", ["archived": true])["conversations"] == [])
            #expect(try bob.refusal("conversations/list", ["limit": 201]) == "bad_request")
        }
    }
}

extension UUIDValue {
    fileprivate var textForm: String { ConversationID(self).description }
}
