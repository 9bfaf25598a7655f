import ParleyProtocol
import ParleyRules
import TestNames
import Testing

@Suite("Accepting a message")
struct SendMessageRuleTests {
    private static let direct = conversation(.direct, [member("alice"), member("bob")])
    private static let sender = device("alice", "phone")
    private static let digest = [UInt8](repeating: 1, count: 16)

    private static func message(
        recipients: [DeviceAddress]? = nil, replyTo: MessageID? = nil, expiresIn: Int? = nil
    ) -> SendMessage {
        SendMessage(
            id: .random(), conversation: direct.id, type: .text, suite: .naclBox,
            content: [UInt8](repeating: 7, count: 32), nonce: [UInt8](repeating: 9, count: 24),
            recipientKeys: recipients.map { addresses in
                addresses.map { RecipientKey(address: $0, encryptedKey: [UInt8](repeating: 3, count: 48)) }
            }, replyTo: replyTo, expiresIn: expiresIn)
    }

    private static func facts(
        _ conversation: ConversationFacts? = direct, existing: SendMessageRule.ExistingRecord? = nil,
        knowsReplyTarget: Bool = true, keyed: [DeviceAddress] = []
    ) -> SendMessageRule.Facts {
        SendMessageRule.Facts(
            conversation: conversation, existing: existing, digest: digest, knowsReplyTarget: knowsReplyTarget,
            keyedDevices: keyed.map { ParleyRulesTests.keyed($0) })
    }

    private static func existing(
        in id: ConversationID = direct.id, digest: [UInt8] = digest
    ) -> SendMessageRule.ExistingRecord {
        SendMessageRule.ExistingRecord(conversation: id, seq: 7, createdAt: at(-5), digest: digest)
    }

    private func decide(
        _ facts: SendMessageRule.Facts, _ message: SendMessage = message(), sender: DeviceAddress = sender,
        now: Timestamp = at(100)
    ) throws(Rejection) -> SendMessageRule.Decision {
        try SendMessageRule.decide(message, sender: sender, facts: facts, now: now)
    }

    @Test("a message gets the next place in its log, the sender's name and the time")
    func messageGetsPlaceNameAndTime() throws {
        let message = Self.message(expiresIn: 60)
        let record = MessageRecord(message, sender: Self.sender, epoch: "k3Jx9w", seq: 42, createdAt: at(100))
        #expect(try decide(Self.facts(), message) == .append(record, nil))
        #expect(record.expiresAt == at(60_100))
    }

    @Test("it disappears by the steady time, whatever everybody is told")
    func disappearsBySteadyTime() throws {
        let decision = try SendMessageRule.decide(
            Self.message(expiresIn: 60), sender: Self.sender, facts: Self.facts(), now: at(-1000), steady: at(-6000))
        guard case .append(let record, _) = decision else {
            Issue.record("not appended")
            return
        }
        #expect(record.createdAt == at(0) && record.expiresAt == at(60_000) && record.disappearsAt == at(54_000))
    }

    @Test(
        "created_at does not go back by minutes; what was made by a clock that was farther ahead keeps no other there",
        arguments: [
            (now: Int64(-315_360_000_000), expected: Int64(-315_360_000_000)), (-300_001, -300_001), (-300_000, 0),
            (-1, 0), (0, 0), (1, 1), (3_600_000, 3_600_000),
        ])
    func clock(now: Int64, expected: Int64) throws {
        guard case .append(let record, _) = try decide(Self.facts(), now: at(now)) else {
            Issue.record("not appended")
            return
        }
        #expect(record.createdAt == at(expected))
    }

    @Test("a conversation that is not there and one the sender is not in get the same answer")
    func missingAndForeignLookAlike() {
        let unknown = rejection { try decide(Self.facts(nil)) }
        let foreign = rejection { try decide(Self.facts(), sender: device("mallory", "phone")) }
        #expect(unknown?.code == .notFound)
        #expect(unknown == foreign)
    }

    @Test("a stranger learns nothing from an id that is taken")
    func takenIDTellsStrangersNothing() {
        let facts = Self.facts(existing: Self.existing())
        let answer = rejection { try decide(facts, sender: device("mallory", "phone")) }
        #expect(answer == .conversationNotFound)
    }

    @Test("a repeat gets the first reply, even if meanwhile it would be refused")
    func repeatGetsFirstReply() throws {
        let message = Self.message(replyTo: .random())
        let facts = Self.facts(
            existing: Self.existing(), knowsReplyTarget: false, keyed: [device("bob", "one"), device("bob", "two")])
        let first = SentMessage(id: message.id, epoch: "k3Jx9w", seq: 7, createdAt: at(-5))
        #expect(try decide(facts, message) == .repeated(first))
    }

    @Test("the same id with other content, or in another conversation, is a conflict")
    func otherContentConflicts() {
        for existing in [Self.existing(digest: [UInt8](repeating: 2, count: 16)), Self.existing(in: .random())] {
            let answer = rejection { try decide(Self.facts(existing: existing)) }
            #expect(answer?.code == .conflict)
        }
    }

    @Test("a reply to a message that is not in the conversation is not found")
    func replyToMissingMessage() {
        let answer = rejection { try decide(Self.facts(knowsReplyTarget: false), Self.message(replyTo: .random())) }
        #expect(answer == .messageNotFound)
    }

    @Test("a log that is full to the last number is a fault and no trap")
    func fullLogIsAFault() {
        var conversation = Self.direct
        conversation.lastSeq = .max
        let answer = rejection { try decide(Self.facts(conversation)) }
        #expect(answer?.code == .internal)
    }

    struct Recipients: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let named: [DeviceAddress]?
        let keyed: [DeviceAddress]
        /// `nil` where the message is accepted.
        var missing: [DeviceAddress]?
        var extra: [DeviceAddress] = []
    }

    private static let (one, two, own) = (device("bob", "one"), device("bob", "two"), device("alice", "laptop"))

    @Test(
        "recipients must be the devices there are",
        arguments: [
            Recipients(testDescription: "no keys at all", named: nil, keyed: []),
            Recipients(testDescription: "one device, sealed directly", named: nil, keyed: [one]),
            Recipients(
                testDescription: "two devices, sealed directly", named: nil, keyed: [one, two], missing: [one, two]),
            Recipients(testDescription: "all of them", named: [two, own, one], keyed: [own, one, two]),
            Recipients(testDescription: "an empty list for nobody", named: [], keyed: []),
            Recipients(testDescription: "an empty list for somebody", named: [], keyed: [one], missing: [one]),
            Recipients(testDescription: "one too few", named: [one], keyed: [own, one, two], missing: [own, two]),
            Recipients(testDescription: "one too many", named: [one, two], keyed: [one], missing: [], extra: [two]),
            Recipients(testDescription: "another one", named: [two], keyed: [one], missing: [one], extra: [two]),
            Recipients(
                testDescription: "the sending device itself", named: [one, sender], keyed: [one], missing: [],
                extra: [sender]),
        ])
    func recipients(_ recipients: Recipients) {
        let answer = rejection {
            try decide(Self.facts(keyed: recipients.keyed), Self.message(recipients: recipients.named))
        }
        #expect(answer?.code == recipients.missing.map { _ in .staleDevices })
        #expect(answer?.devices?.missing == recipients.missing)
        #expect(answer?.devices?.extra ?? [] == recipients.extra)
    }

    private static func legacy(in conversation: ConversationFacts) -> SendMessage {
        SendMessage(
            id: .random(), conversation: conversation.id, type: .text, suite: .legacyNaClBox,
            content: [UInt8](repeating: 7, count: 32), nonce: [UInt8](repeating: 9, count: 24))
    }

    @Test("an old app's form is kept as such in a conversation of two, and refused in a group")
    func legacyForm() throws {
        guard case .append(let record, _) = try decide(Self.facts(keyed: [Self.one]), Self.legacy(in: Self.direct))
        else {
            Issue.record("not appended")
            return
        }
        #expect(record.suite == .known(.legacyNaClBox) && record.recipientKeys == nil)
        let group = conversation(.group, [member("alice"), member("bob")])
        let refused = rejection { try decide(Self.facts(group), Self.legacy(in: group)) }
        #expect(refused?.code == .badRequest)
        #expect(refused?.message.contains("legacy-nacl-box") == true)
    }

    @Test("it is refused as stale where a second device of the two could not open it, like all that is sealed directly")
    func legacyFormForTwoDevices() {
        let refused = rejection {
            try decide(Self.facts(keyed: [Self.one, Self.two]), Self.legacy(in: Self.direct))
        }
        #expect(refused?.code == .staleDevices && refused?.devices?.missing == [Self.one, Self.two])
    }
}
