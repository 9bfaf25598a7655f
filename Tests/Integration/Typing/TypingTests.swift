import MQTTClient
import ParleyProtocol
import Testing

extension GatewayTests {
    @Suite("Typing")
    final class TypingTests: PairSuite {
        override init() throws {
            try super.init()
            try bob.listen(to: conversation, "typing")
        }

        private func send(_ verb: String) throws {
            let fields: JSON = ["conversation_id": .string(conversation)]
            try alice.send("\(alice.up)/typing/\(verb)", fields.bytes, responseTopic: "\(alice.down)/x")
        }

        private func indicator() throws -> JSON {
            try bob.event("typing.indicator", on: "conversations/\(conversation)/typing")
        }

        @Test("a start and a stop are announced, and never replied to")
        func startAndStop() throws {
            try send("start")
            let start = try indicator()
            #expect(start["is_typing"] == true)
            #expect(start["user_id"].text == alice.user)
            #expect(start["device_id"] == "phone")
            #expect(start["conversation_id"].text == conversation)
            try send("stop")
            #expect(try indicator()["is_typing"] == false)
            try send("stop")
            try alice.send("\(alice.up)/typing/start", Array("nonsense".utf8))
            try alice.send("\(alice.up)/typing/start", JSON.object(["conversation_id": .string(newID())]).bytes)
            try alice.accepted("profile/get")
            #expect(alice.inbox.isEmpty)
            try bob.accepted("profile/get")
            #expect(bob.inbox.isEmpty)
        }

        @Test("typing that is not renewed stops by itself after 5 s, and of starts within 2 s one counts")
        func expiry() throws {
            let began = ContinuousClock.now
            for _ in 0..<5 { try send("start") }
            let start = try indicator()
            let stop = try indicator()
            #expect(stop["is_typing"] == false)
            #expect(ContinuousClock.now - began >= .seconds(4.9))
            #expect(stop["expires_at"] == start["expires_at"])
            try bob.accepted("profile/get")
            #expect(bob.inbox.isEmpty)
        }

        @Test("typing at QoS 0 counts too")
        func qosZero() throws {
            let fields: JSON = ["conversation_id": .string(conversation)]
            try alice.send("\(alice.up)/typing/start", fields.bytes, qos: .atMostOnce)
            #expect(try indicator()["is_typing"] == true)
        }
    }
}
