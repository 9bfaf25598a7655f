import ParleyProtocol
import Testing

extension GatewayTests {
    /// Blocking, through the real broker: live and queued sessions, and what the blocked one can find out.
    struct BlockFlowTests {
        @Test("after a block nothing of either reaches the other, live or queued", arguments: [true, false])
        func silence(blockerIsMaker: Bool) throws {
            let gateway = try SharedGateway.current
            let (alice, bob, conversation) = try gateway.pair()
            let topic = "conversations/\(conversation)"
            for device in [alice, bob] { try device.listen(to: conversation, "messages", "typing", "receipts") }
            // A device of each that is away, with a session that the broker keeps.
            let kept = DeviceClient.Options(keepsSession: 3600)
            let sleepers = try [alice.user, bob.user].map { try gateway.device("tablet", of: $0) }
            for credentials in sleepers {
                let sleeper = try gateway.connect(credentials, kept)
                try sleeper.listen(to: conversation, "messages")
                sleeper.disconnect()
            }
            let first = newID()
            try alice.accepted("messages/send", message(conversation, id: first))
            _ = try bob.event("message.new", on: "\(topic)/messages")

            let (blocker, blocked) = blockerIsMaker ? (alice, bob) : (bob, alice)
            try blocker.accepted("social/block", ["user_id": .string(blocked.user)])
            #expect(try blocker.refusal("messages/send", message(conversation)) == "blocked")
            // Whoever has not written before is taken for a stranger, who may ask once.
            let asked = try (0..<2).map { _ in try blocked.refusal("messages/send", message(conversation)) }
            #expect(asked == [blockerIsMaker ? nil : "request_limit", "request_limit"])
            let named: JSON = ["conversation_id": .string(conversation), "message_id": .string(first)]
            for device in [alice, bob] {
                _ = device.takeAll()
                try device.send("\(device.up)/typing/start", named.bytes)
                _ = try device.request("receipts/read", named)
                // The right to subscribe is the same as before.
                #expect(try device.subscribe("parley/v1/\(topic)/messages") < 0x80)
                _ = try device.accepted("profile/get")
                #expect(device.inbox.allSatisfy { !$0.topic.hasPrefix("parley/v1/\(topic)") })
            }
            for credentials in sleepers {
                let sleeper = try gateway.connect(credentials, kept)
                _ = try sleeper.accepted("profile/get")
                #expect(sleeper.events(on: "\(topic)/messages").isEmpty)
                sleeper.disconnect()
            }

            try blocker.accepted("social/unblock", ["user_id": .string(blocked.user)])
            let next = newID()
            try blocker.accepted("messages/send", message(conversation, id: next))
            _ = try blocked.take("a message after the block") { $0.json["data"]["id"].text == next }
        }

        @Test func `the blocker's devices are told whom to hide, and the blocked one sees an unfollowing`() throws {
            let gateway = try SharedGateway.current
            let people = try gateway.people(2, privacy: .followers)
            let (alice, bob) = (try gateway.connect(people[0]), try gateway.connect(people[1]))
            for device in [alice, bob] { try device.subscribe("parley/v1/users/\(device.user)/events") }
            try alice.accepted("social/follow", ["user_id": .string(bob.user)])
            try bob.accepted("social/follow", ["user_id": .string(alice.user)])
            #expect(try alice.event("friend.added", on: "users/\(alice.user)/events")["user_id"].text == bob.user)
            try alice.accepted("social/block", ["user_id": .string(bob.user)])
            #expect(try alice.event("user.blocked", on: "users/\(alice.user)/events")["user_id"].text == bob.user)
            #expect(try bob.event("friend.removed", on: "users/\(bob.user)/events")["user_id"].text == alice.user)
            _ = try bob.accepted("profile/get")
            #expect(
                bob.events(on: "users/\(bob.user)/events").map { $0["type"].text } == ["friend.added"])
            #expect(try alice.accepted("social/blocked")["items"].elements.map { $0["user_id"].text } == [bob.user])
        }

        /// Bob has blocked alice after her request; carol has not, and does not answer. Alice cannot tell them apart.
        @Test func `whoever was blocked sees what a stranger with a spent request sees`() throws {
            let gateway = try SharedGateway.current
            let people = try gateway.people(3, privacy: .followers)
            let devices = try people.map { try gateway.connect($0) }
            let (alice, bob, carol) = (devices[0], devices[1], devices[2])
            let conversations = try [bob, carol].map { other in
                let made = try alice.accepted(
                    "conversations/create", ["type": "direct", "participant_ids": [.string(other.user)]])
                let id = made["id"].text ?? ""
                try alice.accepted("messages/send", message(id))
                return id
            }
            try bob.accepted("social/block", ["user_id": .string(alice.user)])

            let asked = newID()
            func both(_ operation: String, _ fields: (DeviceClient, String) -> JSON) throws {
                let replies = try zip([bob, carol], conversations).map { other, conversation in
                    let correlation = try alice.ask(operation, fields(other, conversation).bytes)
                    let reply = try alice.take("a reply") { $0.correlation == correlation }
                    return String(decoding: reply.payload, as: UTF8.self)
                        .replacing(other.user, with: "other").replacing(conversation, with: "conversation")
                        .replacing(/"(epoch|created_at|updated_at|joined_at)":"[^"]*"/, with: "")
                }
                #expect(replies[0] == replies[1], "\(operation)")
            }
            try both("social/can-message") { other, _ in ["user_id": .string(other.user)] }
            try both("messages/send") { message($1) }
            try both("messages/send") { message($1, ["reply_to": .string(asked)]) }
            try both("conversations/get") { ["conversation_id": .string($1)] }
            try both("conversations/create") { other, _ in
                ["type": "direct", "participant_ids": [.string(other.user)]]
            }
            try both("profile/get") { other, _ in ["user_id": .string(other.user)] }
            try both("keys/get") { other, _ in ["user_id": .string(other.user)] }
            try both("social/followers") { other, _ in ["user_id": .string(other.user)] }
            for channel in ["messages", "info", "typing", "receipts", "challenges"] {
                let codes = try conversations.map { try alice.subscribe("parley/v1/conversations/\($0)/\(channel)") }
                #expect(codes[0] == codes[1] && codes[0] < 0x80)
            }
            _ = try alice.accepted("profile/get")
            let retained = conversations.map { id in
                alice.inbox.filter { $0.topic == "parley/v1/conversations/\(id)/info" }.count
            }
            #expect(retained == [1, 1])
        }
    }
}
