import ParleyProtocol
import Testing

extension GatewayTests {
    /// Blocking, through the real broker: live and queued sessions, and the answers to the blocked one.
    @Suite("A block, through the real broker")
    struct BlockFlowTests {
        /// One's own deletion, which is always permitted: whoever was blocked hears the echo, on every device, and the
        /// blocker nothing; the blocker's own is heard by both, as it would be had they only unfollowed.
        @Test(
            "whoever was blocked hears what they do themselves, and the blocker does not",
            arguments: [MessagePrivacy.anyone, .followers])
        func blockedHearThemselves(privacy: MessagePrivacy)
            throws
        {
            let gateway = try SharedGateway.current
            let clients = try gateway.clients(2, privacy: privacy)
            let (alice, bob) = (clients[0], clients[1])
            try alice.befriend(bob)
            let conversation = try alice.conversation(with: bob.user)
            let laptop = try gateway.client("laptop", of: alice.user)
            let kept = DeviceClient.Options(keepsSession: 3600)
            let tablets = try [alice.user, bob.user].map { try gateway.device("tablet", of: $0) }
            for credentials in tablets {
                let tablet = try gateway.connect(credentials, kept)
                try tablet.listen(to: conversation, "messages")
                tablet.disconnect()
            }
            for device in [alice, bob, laptop] { try device.listen(to: conversation, "messages", "typing", "receipts") }
            let (alices, bobs) = (newID(), newID())
            try alice.accepted("messages/send", message(conversation, id: alices))
            try bob.accepted("messages/send", message(conversation, id: bobs))
            for device in [alice, bob, laptop] { _ = try device.take("Bob's") { $0.json["data"]["id"].text == bobs } }
            try bob.accepted("social/block", ["user_id": .string(alice.user)])
            for device in [alice, bob, laptop] { _ = device.takeAll() }

            func delete(_ message: String, by device: DeviceClient) throws -> JSON {
                try device.accepted(
                    "messages/delete",
                    ["id": .string(newID()), "conversation_id": .string(conversation), "message_id": .string(message)])
            }
            let topic = "conversations/\(conversation)/messages"
            #expect(try delete(alices, by: alice)["seq"] == 3)
            for device in [alice, laptop] {
                #expect(try device.event("message.deleted", on: topic)["target_id"].text == alices)
            }
            #expect(try delete(bobs, by: bob)["seq"] == 4)
            for device in [alice, laptop, bob] {
                // Nothing of Alice's came before it.
                #expect(try device.event("message.deleted", on: topic)["target_id"].text == bobs)
            }
            for (credentials, deletions) in zip(tablets, [[alices, bobs], [bobs]]) {
                let tablet = try gateway.connect(credentials, kept)
                _ = try tablet.accepted("profile/get")
                let deleted = tablet.events(on: topic).filter { $0["type"].text == "message.deleted" }
                #expect(deleted.map { $0["data"]["target_id"].text } == deletions)
                tablet.disconnect()
            }
        }

        /// Whoever has never written to somebody may ask them once; the answer is the same when they have been blocked.
        @Test(
            "the one message to whoever blocks is taken, echoed and listed, and reaches nobody",
            arguments: [MessagePrivacy.anyone, .followers])
        func oneMessageReachesNobody(
            privacy: MessagePrivacy
        ) throws {
            let gateway = try SharedGateway.current
            let clients = try gateway.clients(2, privacy: privacy)
            let (alice, bob) = (clients[0], clients[1])
            try bob.subscribe("parley/v1/users/\(bob.user)/events")
            try bob.accepted("social/block", ["user_id": .string(alice.user)])
            _ = try bob.event("user.blocked", on: "users/\(bob.user)/events")
            let asked = try alice.accepted("social/can-message", ["user_id": .string(bob.user)])
            #expect(asked["reason"].text == "request" && asked["can_message"] == .bool(true))
            let conversation = try alice.conversation(with: bob.user)
            try alice.listen(to: conversation, "messages")
            let hidden = newID()
            try alice.accepted("messages/send", message(conversation, id: hidden))
            let topic = "conversations/\(conversation)/messages"
            #expect(try alice.event("message.new", on: topic)["id"].text == hidden)
            #expect(try alice.refusal("messages/send", message(conversation)) == "request_limit")
            let list = try alice.accepted("conversations/list")["conversations"].elements
            #expect(list.first?["last_message"]["id"].text == hidden)

            let everything = try [
                bob.accepted("requests/list"), bob.accepted("conversations/list"),
                bob.accepted("sync/get", ["cursors": [:]]),
            ].map { String(decoding: $0.bytes, as: UTF8.self) }
            #expect(everything.allSatisfy { !$0.contains(hidden) && !$0.contains(conversation) })
            #expect(bob.events(on: "users/\(bob.user)/events").isEmpty)
            try bob.accepted("social/unblock", ["user_id": .string(alice.user)])
            #expect(try bob.accepted("requests/list")["items"].elements.isEmpty)
            #expect(
                try bob.refusal("requests/accept", ["conversation_id": .string(conversation)]) == "not_found")
        }

        @Test(
            "after a block nothing reaches the blocker, live or queued, and the other what was sent before",
            arguments: [true, false])
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
            // One who has not written before is a stranger, who may ask once.
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
                let heard = device.inbox.filter { $0.topic.hasPrefix("parley/v1/\(topic)") }
                // Their own request, if they could send one.
                #expect(heard.allSatisfy { $0.json["data"]["sender_id"].text == device.user && device === blocked })
            }
            for credentials in sleepers {
                let sleeper = try gateway.connect(credentials, kept)
                _ = try sleeper.accepted("profile/get")
                // Queued messages from before the block come, as after an unfollowing; the blocker gets only their own.
                let heard = sleeper.events(on: "\(topic)/messages").map { $0["data"] }
                    .filter { $0["sender_id"].text == alice.user && $0["seq"] == 1 }.map { $0["id"].text }
                let isHeard = credentials.username == blocked.user || alice.user == blocker.user
                #expect(heard == (isHeard ? [first] : []))
                sleeper.disconnect()
            }

            try blocker.accepted("social/unblock", ["user_id": .string(blocked.user)])
            let next = newID()
            try blocker.accepted("messages/send", message(conversation, id: next))
            _ = try blocked.take("a message after the block") { $0.json["data"]["id"].text == next }
        }

        /// Bob has blocked alice after her request; carol has not, and does not answer. Alice cannot tell them apart.
        @Test("whoever was blocked sees what a stranger with a spent request sees")
        func blockedSeeASpentRequest() throws {
            let gateway = try SharedGateway.current
            let people = try gateway.people(3, privacy: .followers)
            let devices = try people.map { try gateway.connect($0) }
            let (alice, bob, carol) = (devices[0], devices[1], devices[2])
            let conversations = try [bob, carol].map { other in
                let id = try alice.conversation(with: other.user)
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
            #expect(retained == [0, 0])
        }
    }
}
