import ParleyProtocol
import Testing

@testable import ParleyClient

@Suite("What a gateway says of a conversation")
struct GatewayFaultTests {
    static let alice = UserID(validated: "alice")
    static let bob = UserID(validated: "bob")
    static let mallory = UserID(validated: "mallory")

    private func conversation(
        _ type: ConversationType, _ id: ConversationID?, _ users: [UserID]
    ) throws -> Conversation {
        .sample(try #require(id), type, of: users)
    }

    @Test("the id of two people's conversation is the one of the contract, whoever asks")
    func directID() {
        // Computed from the text of the contract with Python's hashlib.
        #expect(ConversationID.direct(Self.alice, Self.bob)?.description == "7ff2d9c8-d0a4-8046-9527-01d1046656da")
        #expect(ConversationID.direct(Self.bob, Self.alice) == .direct(Self.alice, Self.bob))
    }

    @Test("a conversation of two is believed with exactly the two under their own id")
    func direct() throws {
        let id = ConversationID.direct(Self.alice, Self.bob)
        func fault(_ id: ConversationID?, _ users: [UserID]) throws -> GatewayFaultError? {
            try conversation(.direct, id, users).fault(for: Self.alice, known: nil)
        }
        #expect(try fault(id, [Self.alice, Self.bob]) == nil)
        #expect(try fault(id, [Self.bob, Self.alice]) == nil)
        let known = try #require(id)
        for users in [
            [Self.alice], [Self.bob], [], [Self.alice, Self.alice], [Self.bob, Self.mallory],
            [Self.alice, Self.bob, Self.mallory], [Self.alice, Self.bob, Self.bob],
        ] { #expect(try fault(id, users) == .directMembers(known, users)) }
        #expect(try fault(id, [Self.alice, Self.mallory]) == .directID(known, [Self.alice, Self.mallory]))
        let random = ConversationID.random()
        #expect(try fault(random, [Self.alice, Self.bob]) == .directID(random, [Self.alice, Self.bob]))
    }

    @Test("a group is believed under no direct conversation's id, and only with the user in it")
    func groups() throws {
        let id = ConversationID.random()
        func fault(_ id: ConversationID?, _ users: [UserID]) throws -> GatewayFaultError? {
            try conversation(.group, id, users).fault(for: Self.alice, known: nil)
        }
        #expect(try fault(id, [Self.alice, Self.bob, Self.mallory]) == nil)
        #expect(try fault(id, [Self.alice]) == nil)
        #expect(try fault(id, [Self.bob, Self.mallory]) == .foreignGroup(id))
        let direct = try #require(ConversationID.direct(Self.alice, Self.bob))
        #expect(try fault(direct, [Self.alice, Self.bob, Self.mallory]) == .groupID(direct))
    }

    @Test("what was a group stays one, and what was a conversation of two")
    func types() throws {
        let id = try #require(ConversationID.direct(Self.alice, Self.bob))
        let direct = try conversation(.direct, id, [Self.alice, Self.bob])
        let group = try conversation(.group, id, [Self.alice, Self.bob])
        #expect(group.fault(for: Self.alice, known: direct) == .otherType(id))
        #expect(direct.fault(for: Self.alice, known: group) == .otherType(id))
        #expect(direct.fault(for: Self.alice, known: direct) == nil)
    }

    @Test("each fault is one sentence, without anything but ids")
    func sentences() {
        let id = ConversationID.random()
        let many = (0..<9).map { UserID(validated: "user\($0)") }
        for fault in [
            GatewayFaultError.directMembers(id, many), .directID(id, [Self.bob]), .groupID(id), .foreignGroup(id),
            .otherType(id), .otherConversation(id), .uninvited(id, many), .unreadableKeys(Self.bob), .otherDevices(id),
            .endless,
            .tooManyConversations,
        ] {
            #expect(!fault.description.contains("\n") && fault.description.contains("gateway"))
            #expect(!fault.description.contains("user5"))
        }
    }
}
