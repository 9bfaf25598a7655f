import ParleyProtocol
import Testing

extension GatewayTests {
    /// Two people challenge each other and walk, through the real broker.
    @Suite("A challenge, through the real broker")
    final class ChallengeFlowTests: PairSuite {
        private var topic: String { "conversations/\(conversation)/challenges" }

        override init() throws {
            try super.init()
            for device in [alice, bob] { try device.listen(to: conversation, "challenges") }
        }

        private func challenge(_ id: String) -> JSON {
            [
                "id": .string(id), "conversation_id": .string(conversation), "challenged_id": .string(bob.user),
                "type": "steps", "target": 1000, "duration_days": 2,
            ]
        }

        @Test("both see live how far each has come, and nobody else does")
        func live() throws {
            let (id, carol) = (newID(), try gateway.client())
            #expect(try carol.subscribe("parley/v1/\(topic)") == 0x87)
            let made = try alice.accepted("challenges/create", challenge(id))
            #expect(made["status"].text == "pending")
            #expect(try bob.event("challenge.updated", on: topic)["id"].text == id)
            #expect(try alice.refusal("challenges/accept", ["id": .string(id)]) == "forbidden")
            #expect(try carol.refusal("challenges/get", ["id": .string(id)]) == "not_found")
            #expect(try bob.accepted("challenges/accept", ["id": .string(id)])["status"].text == "active")
            let today = String(try bob.accepted("gateway/info")["server_time"].text?.prefix(10) ?? "")
            try bob.accepted(
                "metrics/report", ["date": .string(today), "time_zone": "UTC", "steps": 700, "version": 1])
            var progress: JSON
            repeat {
                progress = try alice.event("challenge.updated", on: topic)
            } while progress["progress"][bob.user].int
                != 700
            #expect(progress["progress"][alice.user].int == 0 && progress["status"].text == "active")
            #expect(try bob.accepted("challenges/list")["items"][0]["progress"][bob.user].int == 700)
            #expect(carol.inbox.allSatisfy { !$0.topic.contains("challenges") })
        }

        @Test("who has blocked the other hears on all their devices what they answer to a challenge")
        func answeredUnderBlock() throws {
            let id = newID()
            let laptop = try gateway.client("laptop", of: bob.user)
            try laptop.listen(to: conversation, "challenges")
            try alice.accepted("challenges/create", challenge(id))
            for device in [alice, bob, laptop] {
                #expect(try device.event("challenge.updated", on: topic)["status"].text == "pending")
            }
            try bob.accepted("social/block", ["user_id": .string(alice.user)])
            try bob.accepted("challenges/decline", ["id": .string(id)])
            for device in [alice, bob, laptop] {
                let event = try device.event("challenge.updated", on: topic)
                #expect(event["id"].text == id && event["status"].text == "declined")
            }
        }
    }
}
