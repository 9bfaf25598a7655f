import ParleyProtocol
import ParleyRules
import TestNames
import Testing

@Suite("Accepting a change of a message")
struct ChangeMessageRuleTests {
    private static let direct = conversation(.direct, [member("alice"), member("bob", visibleFrom: 10)])
    private static let alice = device("alice", "phone")
    private static let bob = device("bob", "phone")
    private static let digest = [UInt8](repeating: 1, count: 16)
    private static let sealed = SealedContent(
        suite: .naclBox, content: [UInt8](repeating: 7, count: 32), nonce: [UInt8](repeating: 9, count: 24))

    private static func change(_ change: ChangeMessage.Change) -> ChangeMessage {
        ChangeMessage(id: .random(), conversation: direct.id, message: .random(), change: change)
    }

    /// Alice's message of seq 30, as the cases change it.
    private static func target(
        seq: Int = 30, kind: RecordKind = .message, type: MessageType = .voice, sender: UserID = "alice",
        hasContent: Bool = true, expiresAt: Timestamp? = nil, edits: Int = 0,
        deletion: ChangeMessageRule.Deletion? = nil
    ) -> ChangeMessageRule.Target {
        ChangeMessageRule.Target(
            seq: seq, kind: kind, type: type, sender: sender, hasContent: hasContent, expiresAt: expiresAt,
            edits: edits, deletion: deletion)
    }

    private static func facts(
        _ target: ChangeMessageRule.Target? = target(), conversation: ConversationFacts? = direct,
        existing: SendMessageRule.ExistingRecord? = nil, permission: MessagingPermission? = .allowed(.mutualFollow),
        keyed: [DeviceAddress] = []
    ) -> ChangeMessageRule.Facts {
        ChangeMessageRule.Facts(
            conversation: conversation, existing: existing, digest: digest, target: target, permission: permission,
            keyedDevices: keyed.map { ParleyRulesTests.keyed($0) })
    }

    private func decide(
        _ change: ChangeMessage, by sender: DeviceAddress = alice, _ facts: ChangeMessageRule.Facts = facts(),
        now: Timestamp = at(100)
    ) throws(Rejection) -> ChangeMessageRule.Decision {
        try ChangeMessageRule.decide(change, sender: sender, facts: facts, now: now)
    }

    private func code(
        _ change: ChangeMessage.Change, by sender: DeviceAddress = alice, _ facts: ChangeMessageRule.Facts = facts()
    ) -> ErrorCode? {
        rejection { try decide(Self.change(change), by: sender, facts) }?.code
    }

    private static let changes: [ChangeMessage.Change] = [.edit(sealed), .delete, .react(sealed)]

    // MARK: What is accepted

    @Test("a change becomes a record of its own, of the type of its message", arguments: changes)
    func appended(_ change: ChangeMessage.Change) throws {
        let change = Self.change(change)
        guard case .append(let record) = try decide(change) else {
            Issue.record("not appended")
            return
        }
        #expect(record.id == change.id && record.target == change.message && record.kind == .known(change.kind))
        #expect(record.seq == 42 && record.epoch == "k3Jx9w" && record.createdAt == at(100))
        #expect(record.type == .known(.voice) && record.sender == Self.alice)
        #expect(record.content == change.sealed?.content && record.nonce == change.sealed?.nonce)
        #expect(record.expiresAt == nil && record.replyTo == nil)
    }

    @Test(
        "a change of a message that disappears disappears with it; a deletion has nothing to lose", arguments: changes)
    func disappearing(_ change: ChangeMessage.Change) throws {
        let facts = Self.facts(Self.target(expiresAt: at(5000)))
        guard case .append(let record) = try decide(Self.change(change), facts) else {
            Issue.record("not appended")
            return
        }
        #expect(record.expiresAt == (change == .delete ? nil : at(5000)))
    }

    @Test("a change is never older than the record before it")
    func clock() throws {
        guard case .append(let record) = try decide(Self.change(.delete), now: at(-5000)) else {
            Issue.record("not appended")
            return
        }
        #expect(record.createdAt == at(0))
    }

    // MARK: Who, and what

    struct Case: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let sender: DeviceAddress
        let target: ChangeMessageRule.Target?
        let permission: MessagingPermission?
        /// To an edit, a deletion and a reaction; `nil` where it is accepted.
        let answers: [ErrorCode?]

        init(
            _ testDescription: String, by sender: DeviceAddress = alice,
            _ target: ChangeMessageRule.Target? = ChangeMessageRuleTests.target(),
            permission: MessagingPermission? = .allowed(.anyone), answers: [ErrorCode?]
        ) {
            (self.testDescription, self.sender, self.target) = (testDescription, sender, target)
            (self.permission, self.answers) = (permission, answers)
        }
    }

    private static let deletion = ChangeMessageRule.Deletion(id: .random(), seq: 35, createdAt: at(-7))

    @Test(
        "who may change what",
        arguments: [
            Case("the sender", answers: [nil, nil, nil]),
            Case("the sender's other device", by: device("alice", "laptop"), answers: [nil, nil, nil]),
            Case("the other", by: bob, answers: [.forbidden, .forbidden, nil]),
            Case("no member", by: device("mallory", "phone"), answers: [.notFound, .notFound, .notFound]),
            Case("no such message", nil, answers: [.notFound, .notFound, .notFound]),
            Case(
                "a message before one joined", by: bob, target(seq: 10, sender: "bob"),
                answers: [.notFound, .notFound, .notFound]),
            Case("the first after one joined", by: bob, target(seq: 11, sender: "bob"), answers: [nil, nil, nil]),
            Case("an edit", target(kind: .edit), answers: [.badRequest, .badRequest, .badRequest]),
            Case("a deletion", target(kind: .delete), answers: [.badRequest, .badRequest, .badRequest]),
            Case("a reaction", target(kind: .reaction), answers: [.badRequest, .badRequest, .badRequest]),
            Case(
                "the gateway's own", target(type: .system, hasContent: false),
                answers: [.badRequest, .badRequest, .badRequest]),
            Case(
                "deleted before", target(hasContent: false, deletion: deletion), answers: [.notFound, nil, .notFound]),
            Case("disappeared", target(hasContent: false, expiresAt: at(50)), answers: [.notFound, nil, .notFound]),
            Case("due, and not removed yet", target(expiresAt: at(100)), answers: [.notFound, nil, .notFound]),
            Case("due in a moment", target(expiresAt: at(101)), answers: [nil, nil, nil]),
            Case("edited as often as can be", target(edits: Limits.editsOfMessage), answers: [.tooLarge, nil, nil]),
            Case("edited one time less", target(edits: Limits.editsOfMessage - 1), answers: [nil, nil, nil]),
            Case("in a group", permission: nil, answers: [nil, nil, nil]),
            Case(
                "the one message is spent", permission: .refused(.requestLimit),
                answers: [.requestLimit, nil, .requestLimit]),
            Case("one message is left", permission: .request, answers: [.requestLimit, nil, .requestLimit]),
            Case("the caller has blocked", permission: .refused(.blocked), answers: [.blocked, nil, .blocked]),
        ])
    func rights(_ tested: Case) {
        let facts = Self.facts(tested.target, permission: tested.permission)
        #expect(Self.changes.map { code($0, by: tested.sender, facts) } == tested.answers)
    }

    @Test("a conversation that is not there and one the sender is not in get the same answer", arguments: changes)
    func unknownConversation(_ change: ChangeMessage.Change) {
        let unknown = rejection { try decide(Self.change(change), Self.facts(conversation: nil)) }
        let foreign = rejection { try decide(Self.change(change), by: device("mallory", "phone")) }
        #expect(unknown == .conversationNotFound && foreign == unknown)
    }

    @Test("a message that one does not see and one that is not there get the same answer", arguments: changes)
    func unseenMessage(_ change: ChangeMessage.Change) {
        let answers = [Self.target(seq: 10), nil].map { target in
            rejection { try decide(Self.change(change), by: Self.bob, Self.facts(target)) }
        }
        #expect(answers == [.messageNotFound, .messageNotFound])
    }

    // MARK: Repeats

    private static func existing(
        in id: ConversationID = direct.id, digest: [UInt8] = digest
    ) -> SendMessageRule.ExistingRecord {
        SendMessageRule.ExistingRecord(conversation: id, seq: 33, createdAt: at(-5), digest: digest)
    }

    @Test("a repeat gets the first reply, even if meanwhile it would be refused", arguments: changes)
    func repeated(_ change: ChangeMessage.Change) throws {
        let change = Self.change(change)
        let facts = Self.facts(
            nil, existing: Self.existing(), permission: .refused(.blocked),
            keyed: [device("bob", "one"), device("bob", "two")])
        let first = AcceptedChange(id: change.id, epoch: "k3Jx9w", seq: 33, createdAt: at(-5))
        #expect(try decide(change, facts) == .repeated(first))
    }

    @Test("the same id with other content, or in another conversation, is a conflict", arguments: changes)
    func conflict(_ change: ChangeMessage.Change) {
        for existing in [Self.existing(digest: [UInt8](repeating: 2, count: 16)), Self.existing(in: .random())] {
            #expect(code(change, Self.facts(existing: existing)) == .conflict)
        }
    }

    @Test("deleting again under another id is answered with the deletion there is")
    func deletedTwice() throws {
        let facts = Self.facts(Self.target(hasContent: false, deletion: Self.deletion))
        let there = AcceptedChange(id: Self.deletion.id, epoch: "k3Jx9w", seq: 35, createdAt: at(-7))
        #expect(try decide(Self.change(.delete), facts) == .repeated(there))
    }

    // MARK: Devices

    @Test("edits and reactions must be sealed for the devices there are; a deletion is sealed for nobody")
    func recipients() {
        let facts = Self.facts(keyed: [device("bob", "one"), device("bob", "two")])
        #expect(code(.edit(Self.sealed), facts) == .staleDevices)
        #expect(code(.react(Self.sealed), facts) == .staleDevices)
        #expect(code(.delete, facts) == nil)
        let both = SealedContent(
            suite: .naclBox, content: Self.sealed.content, nonce: Self.sealed.nonce,
            recipientKeys: ["one", "two"].map {
                RecipientKey(address: device("bob", $0), encryptedKey: [UInt8](repeating: 3, count: 48))
            })
        #expect(code(.edit(both), facts) == nil)
        #expect(code(.react(both), facts) == nil)
    }

    @Test("a log that is full to the last number is a fault and no trap", arguments: changes)
    func fullLog(_ change: ChangeMessage.Change) {
        var conversation = Self.direct
        conversation.lastSeq = .max
        #expect(code(change, Self.facts(conversation: conversation)) == .internal)
    }

    @Test("an edit and a reaction in an old app's form are taken in a conversation of two, and refused in a group")
    func legacyForm() {
        let legacy = SealedContent(suite: .legacyNaClBox, content: Self.sealed.content, nonce: Self.sealed.nonce)
        let group = Self.facts(
            conversation: conversation(.group, [member("alice"), member("bob")]), permission: nil)
        for change in [ChangeMessage.Change.edit(legacy), .react(legacy)] {
            #expect(code(change) == nil)
            #expect(code(change, group) == .badRequest)
        }
    }
}
