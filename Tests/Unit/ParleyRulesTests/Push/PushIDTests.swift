import ParleyProtocol
import ParleyRules
import TestNames
import Testing

@Suite("Ids of pushes")
struct PushIDTests {
    @Test("what is hashed is what the documents say")
    func bytes() {
        let message = MessageID(UUIDValue(high: 1, low: 2))
        let expected: [[UInt8]] = [
            [0, 14], Array("parley/v1 push".utf8), [0, 7], Array("message".utf8), [0, 36],
            Array("00000000-0000-0001-0000-000000000002".utf8), [0, 3], Array("bob".utf8), [0, 5], Array("phone".utf8),
        ]
        #expect(
            PushID.preimage(.message, about: message, for: "bob", device: "phone") == expected.flatMap { $0 })
    }

    @Test("each part makes another one, and the topic is no device")
    func distinct() {
        let (one, other) = (MessageID(UUIDValue(high: 1, low: 2)), MessageID(UUIDValue(high: 1, low: 3)))
        let all = [
            PushID.preimage(.message, about: one, for: "bob", device: "phone"),
            PushID.preimage(.clear, about: one, for: "bob", device: "phone"),
            PushID.preimage(.feed(.reaction), about: one, for: "bob", device: "phone"),
            PushID.preimage(.message, about: other, for: "bob", device: "phone"),
            PushID.preimage(.message, about: one, for: "carol", device: "phone"),
            PushID.preimage(.message, about: one, for: "bob", device: "tablet"),
            PushID.preimage(.message, about: one, for: "bob", device: nil),
            PushID.preimage(.message, about: one, for: "bobp", device: "hone"),
        ]
        #expect(Set(all).count == all.count)
    }
}
