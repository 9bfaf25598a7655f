import ParleyProtocol
import ParleyRules
import TestNames
import Testing

/// Whether a message is sealed for the keys that there are, where it says for which (protocol §5, "recipient key").
@Suite("For which keys a message is sealed")
struct RecipientKeyTests {
    private static let direct = conversation(.direct, [member("alice"), member("bob")])
    private static let sender = device("alice", "phone")
    private static let (one, two, own) = (device("bob", "one"), device("bob", "two"), device("alice", "laptop"))

    struct Case: CustomTestStringConvertible, Sendable {
        let testDescription: String
        /// The devices named and for which key, if that is said; `nil` for no list.
        var named: [(device: DeviceAddress, key: UInt8?)]?
        var recipientKey: UInt8?
        let keyed: [KeyedDevice]
        /// Empty where the message is accepted.
        var missing: [DeviceAddress] = []
        var extra: [DeviceAddress] = []
    }

    private static let cases = [
        Case(testDescription: "of the key that is published", named: [(one, 1)], keyed: [keyed(one, 1)]),
        Case(
            testDescription: "of another key", named: [(one, 2)], keyed: [keyed(one, 1)], missing: [one], extra: [one]),
        Case(testDescription: "of a key that is not named", named: [(one, nil)], keyed: [keyed(one, 9)]),
        Case(
            testDescription: "one of three has another key", named: [(two, 2), (own, nil), (one, 7)],
            keyed: [keyed(own, 3), keyed(one, 1), keyed(two, 2)], missing: [one], extra: [one]),
        Case(
            testDescription: "another key, a device too many and one too few", named: [(one, 2), (own, 1)],
            keyed: [keyed(one, 1), keyed(two, 1)], missing: [one, two], extra: [one, own]),
        Case(
            testDescription: "the key of a device that has none is as good as any", named: [(two, 1)], keyed: [],
            extra: [two]),
        Case(testDescription: "sealed directly, for the one key", recipientKey: 1, keyed: [keyed(one, 1)]),
        Case(
            testDescription: "sealed directly, for another key", recipientKey: 2, keyed: [keyed(one, 1)],
            missing: [one], extra: [one]),
        Case(testDescription: "sealed directly, where nobody has published any", recipientKey: 2, keyed: []),
        Case(
            testDescription: "sealed directly, where two have", recipientKey: 1, keyed: [keyed(one, 1), keyed(two, 1)],
            missing: [one, two]),
        Case(
            testDescription: "beside a list the one key says nothing", named: [(one, 1)], recipientKey: 5,
            keyed: [keyed(one, 1)]),
    ]

    private func sealed(_ recipients: Case) -> SealedContent {
        SealedContent(
            suite: .naclBox, content: [UInt8](repeating: 7, count: 32), nonce: [UInt8](repeating: 9, count: 24),
            recipientKeys: recipients.named.map { named in
                named.map { device, key in
                    RecipientKey(address: device, encryptedKey: [UInt8](repeating: 3, count: 48), keyID: key.map(keyID))
                }
            }, recipientKeyID: recipients.recipientKey.map(keyID))
    }

    @Test("a message is taken if it is sealed for the keys there are", arguments: cases)
    func messages(_ recipients: Case) {
        let sealed = sealed(recipients)
        let message = SendMessage(
            id: .random(), conversation: Self.direct.id, type: .text, suite: sealed.suite,
            content: sealed.content, nonce: sealed.nonce, recipientKeys: sealed.recipientKeys,
            recipientKeyID: sealed.recipientKeyID)
        let answer = rejection {
            try SendMessageRule.decide(
                message, sender: Self.sender,
                facts: SendMessageRule.Facts(
                    conversation: Self.direct, existing: nil, digest: [UInt8](repeating: 1, count: 16),
                    knowsReplyTarget: true, keyedDevices: recipients.keyed), now: at(100))
        }
        expect(answer, recipients)
    }

    @Test("an edit likewise", arguments: cases)
    func edits(_ recipients: Case) {
        let change = ChangeMessage(
            id: .random(), conversation: Self.direct.id, message: .random(), change: .edit(sealed(recipients)))
        let target = ChangeMessageRule.Target(
            seq: 30, kind: .message, type: .text, sender: "alice", hasContent: true, expiresAt: nil, edits: 0,
            deletion: nil)
        let answer = rejection {
            try ChangeMessageRule.decide(
                change, sender: Self.sender,
                facts: ChangeMessageRule.Facts(
                    conversation: Self.direct, existing: nil, digest: [UInt8](repeating: 1, count: 16),
                    target: target, permission: nil, keyedDevices: recipients.keyed), now: at(100))
        }
        expect(answer, recipients)
    }

    private func expect(_ answer: Rejection?, _ recipients: Case) {
        let isAccepted = recipients.missing.isEmpty && recipients.extra.isEmpty
        #expect(answer?.code == (isAccepted ? nil : .staleDevices))
        #expect(answer?.devices?.missing ?? [] == recipients.missing)
        #expect(answer?.devices?.extra ?? [] == recipients.extra)
    }
}
