import ParleyProtocol
import ParleyRules
import TestNames
import Testing

@Suite("Accepting a change of a message")
struct ChangeMessageRuleTests {
    private static let conversation = ConversationFacts(
        id: .random(), type: .direct, epoch: "k3Jx9w", lastSeq: 41, lastMessageSeq: 40, updatedAt: at(0),
        members: ["alice", "bob"].map { user in
            MemberFacts(user: user, role: .member, joinedAt: at(0), visibleFrom: user == "bob" ? 10 : 0)
        })
    private static let alice = device("alice", "phone")
    private static let bob = device("bob", "phone")
    private static let digest = [UInt8](repeating: 1, count: 16)
    private static let sealed = SealedContent(
        suite: .naclBox, content: [UInt8](repeating: 7, count: 32), nonce: [UInt8](repeating: 9, count: 24))

    private static func change(_ change: ChangeMessage.Change) -> ChangeMessage {
        ChangeMessage(id: .random(), conversation: conversation.id, message: .random(), change: change)
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
        _ target: ChangeMessageRule.Target? = target(), conversation: ConversationFacts? = conversation,
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
        rejection { () throws(Rejection) in try decide(Self.change(change), by: sender, facts) }?.code
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
        var sender = alice
        var target: ChangeMessageRule.Target? = ChangeMessageRuleTests.target()
        var permission: MessagingPermission? = .allowed(.anyone)
        /// The refusals of an edit, a deletion and a reaction; `nil` where it is accepted.
        let edit: ErrorCode?
        let delete: ErrorCode?
        let react: ErrorCode?
    }

    private static let deletion = ChangeMessageRule.Deletion(id: .random(), seq: 35, createdAt: at(-7))

    @Test(
        "who may change what",
        arguments: [
            Case(testDescription: "the sender", edit: nil, delete: nil, react: nil),
            Case(
                testDescription: "the sender's other device", sender: device("alice", "laptop"), edit: nil, delete: nil,
                react: nil),
            Case(testDescription: "the other", sender: bob, edit: .forbidden, delete: .forbidden, react: nil),
            Case(
                testDescription: "no member", sender: device("mallory", "phone"), edit: .notFound, delete: .notFound,
                react: .notFound),
            Case(testDescription: "no such message", target: nil, edit: .notFound, delete: .notFound, react: .notFound),
            Case(
                testDescription: "a message before one joined", sender: bob, target: target(seq: 10, sender: "bob"),
                edit: .notFound, delete: .notFound, react: .notFound),
            Case(
                testDescription: "the first after one joined", sender: bob, target: target(seq: 11, sender: "bob"),
                edit: nil, delete: nil, react: nil),
            Case(
                testDescription: "an edit", target: target(kind: .edit), edit: .badRequest, delete: .badRequest,
                react: .badRequest),
            Case(
                testDescription: "a deletion", target: target(kind: .delete), edit: .badRequest, delete: .badRequest,
                react: .badRequest),
            Case(
                testDescription: "a reaction", target: target(kind: .reaction), edit: .badRequest, delete: .badRequest,
                react: .badRequest),
            Case(
                testDescription: "the gateway's own", target: target(type: .system, hasContent: false),
                edit: .badRequest, delete: .badRequest, react: .badRequest),
            Case(
                testDescription: "deleted before", target: target(hasContent: false, deletion: deletion),
                edit: .notFound, delete: nil, react: .notFound),
            Case(
                testDescription: "disappeared", target: target(hasContent: false, expiresAt: at(50)), edit: .notFound,
                delete: nil, react: .notFound),
            Case(
                testDescription: "due, and not removed yet", target: target(expiresAt: at(100)), edit: .notFound,
                delete: nil, react: .notFound),
            Case(
                testDescription: "due in a moment", target: target(expiresAt: at(101)), edit: nil, delete: nil,
                react: nil),
            Case(
                testDescription: "edited as often as can be", target: target(edits: Limits.editsOfMessage),
                edit: .tooLarge, delete: nil, react: nil),
            Case(
                testDescription: "edited one time less", target: target(edits: Limits.editsOfMessage - 1), edit: nil,
                delete: nil, react: nil),
            Case(testDescription: "in a group", permission: nil, edit: nil, delete: nil, react: nil),
            Case(
                testDescription: "the one message is spent", permission: .refused(.requestLimit), edit: .requestLimit,
                delete: nil, react: .requestLimit),
            Case(
                testDescription: "one message is left", permission: .request, edit: .requestLimit, delete: nil,
                react: .requestLimit),
            Case(
                testDescription: "the caller has blocked", permission: .refused(.blocked), edit: .blocked, delete: nil,
                react: .blocked),
        ])
    func rights(_ tested: Case) {
        let facts = Self.facts(tested.target, permission: tested.permission)
        #expect(code(.edit(Self.sealed), by: tested.sender, facts) == tested.edit)
        #expect(code(.delete, by: tested.sender, facts) == tested.delete)
        #expect(code(.react(Self.sealed), by: tested.sender, facts) == tested.react)
    }

    @Test("a conversation that is not there and one the sender is not in get the same answer", arguments: changes)
    func unknownConversation(_ change: ChangeMessage.Change) {
        let unknown = rejection { () throws(Rejection) in
            try decide(Self.change(change), Self.facts(conversation: nil))
        }
        let foreign = rejection { () throws(Rejection) in
            try decide(Self.change(change), by: device("mallory", "phone"))
        }
        #expect(unknown == .conversationNotFound && foreign == unknown)
    }

    @Test("a message that one does not see and one that is not there get the same answer", arguments: changes)
    func unseenMessage(_ change: ChangeMessage.Change) {
        let answers = [Self.target(seq: 10), nil].map { target in
            rejection { () throws(Rejection) in try decide(Self.change(change), by: Self.bob, Self.facts(target)) }
        }
        #expect(answers == [.messageNotFound, .messageNotFound])
    }

    // MARK: Repeats

    private static func existing(
        in id: ConversationID = conversation.id, digest: [UInt8] = digest
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
        var conversation = Self.conversation
        conversation.lastSeq = .max
        #expect(code(change, Self.facts(conversation: conversation)) == .internal)
    }
}
