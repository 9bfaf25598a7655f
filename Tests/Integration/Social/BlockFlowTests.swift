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

        /// Bob has blocked Alice after her request; Carol has not, and does not answer. Alice cannot tell them apart.
        @Test("whoever was blocked sees what a stranger with a spent request sees")
        func blockedSeeASpentRequest() throws {
            let clients = try SharedGateway.current.clients(3, privacy: .followers)
            let (alice, bob, carol) = (clients[0], clients[1], clients[2])
            let conversations = try [bob, carol].map { try alice.conversation(with: $0.user) }
            for conversation in conversations { try alice.accepted("messages/send", message(conversation)) }
            try bob.accepted("social/block", ["user_id": .string(alice.user)])

            let keys = try [bob, carol].map { other in
                let fields: JSON = ["user_id": .string(other.user)]
                let correlation = try alice.ask("keys/get", fields.bytes)
                let reply = try alice.take("a reply") { $0.correlation == correlation }
                return String(decoding: reply.payload, as: UTF8.self).replacing(other.user, with: "other")
            }
            #expect(keys[0] == keys[1])
            for channel in ["messages", "info", "typing", "receipts", "challenges"] {
                let codes = try conversations.map { try alice.subscribe("parley/v1/conversations/\($0)/\(channel)") }
                #expect(codes[0] == codes[1] && codes[0] < 0x80)
            }
            // What is retained has come before this reply.
            try alice.accepted("profile/get")
            #expect(conversations.allSatisfy { alice.events(on: "conversations/\($0)/info").isEmpty })
        }
    }
}
