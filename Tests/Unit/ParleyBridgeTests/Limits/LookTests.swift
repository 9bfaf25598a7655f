import ParleyProtocol
import ParleyRules
import TestNames
import TestSupport
import Testing

@testable import ParleyBridge
@testable import ParleyStore

/// Who exists cannot be found by asking: whatever operation names a user either answers the same of anybody, or costs a
/// look.
@Suite("Looks at who exists are counted")
struct LookTests {
    /// How an operation is asked about a user by alice, who has a group and a group that trains together, both her own.
    private struct Example: Sendable {
        let type: any Request.Type
        let json: @Sendable (UserID) -> String

        init(_ type: any Request.Type, _ json: @escaping @Sendable (UserID) -> String = { #"{"user_id":"\#($0)"}"# }) {
            self.type = type
            self.json = json
        }
    }

    private static let chat = ConversationID(UUIDValue(high: 1, low: 1))
    private static let group = GroupID(UUIDValue(high: 1, low: 2))
    private static let limit = 3

    private static let examples = [
        Example(CreateConversation.self) { #"{"type":"direct","participant_ids":["\#($0)"]}"# },
        Example(CreateConversation.self) { #"{"type":"group","participant_ids":["\#($0)"]}"# },
        Example(AddMembers.self) { #"{"conversation_id":"\#(chat)","user_ids":["\#($0)"]}"# },
        Example(RemoveMember.self) { #"{"conversation_id":"\#(chat)","user_id":"\#($0)"}"# },
        Example(SetRole.self) { #"{"conversation_id":"\#(chat)","user_id":"\#($0)","role":"admin"}"# },
        Example(RemoveGroupMember.self) { #"{"group_id":"\#(group)","user_id":"\#($0)"}"# },
        Example(SetGroupRole.self) { #"{"group_id":"\#(group)","user_id":"\#($0)","role":"admin"}"# },
        Example(CreateChallenge.self) { user in
            #"{"id":"\#(ChallengeID.random())","conversation_id":"\#(chat)","challenged_id":"\#(user)","#
                + #""type":"steps","target":10,"duration_days":2}"#
        },
        Example(CreateReport.self) { #"{"id":"\#(MessageID.random())","reason":"r","user_id":"\#($0)"}"# },
        Example(DeleteAccount.self) { #"{"id":"\#(MessageID.random())","user_id":"\#($0)"}"# },
        Example(GetKeys.self), Example(GetProfile.self), Example(Follow.self), Example(Unfollow.self),
        Example(Block.self), Example(Unblock.self), Example(ListFollowers.self), Example(ListFollowing.self),
        Example(CanMessage.self), Example(ListActivity.self), Example(GetSummary.self),
    ]

    /// Whether an operation has a field that names a user.
    private static func namesUser(_ type: any Request.Type) throws -> Bool {
        let users = ["user_id", "user_id?", "user_ids", "participant_ids", "challenged_id"]
        return try type.fields.contains(where: users.contains)
    }

    private func world() throws -> SocialWorld {
        let world = try SocialWorld {
            $0.strangerLookupsPerHour = Self.limit
            $0.keyFetchesPerHour = Self.limit
            $0.reportsPerHour = 1000
        }
        _ = try world.test.conversation(["alice", "carol"], id: Self.chat)
        try world.test.execute("UPDATE members SET role = 'admin' WHERE user = 'alice'")
        try world.test.group(["alice", "carol"], id: Self.group)
        try world.test.addPeople((0..<9).map { UserID(validated: "there\($0)") })
        return world
    }

    private func code(_ example: Example, of user: UserID, in world: SocialWorld) throws -> String {
        let json = example.json(user)
        if let type = example.type as? any Command.Type {
            return try world.ask(type, by: "alice", json).code ?? "ok"
        }
        let type = try #require(example.type as? any Query.Type)
        return try world.read(type, by: "alice", json).code ?? "ok"
    }

    @Test("each operation of the table that names a user stands here: one that is new is to be added")
    func allStandHere() throws {
        let named = try OperationTable.all.filter { try $0.askers == .everyone && Self.namesUser($0) }.map {
            $0.operation
        }
        #expect(Set(named).symmetricDifference(Set(Self.examples.map { $0.type.operation })) == [])
        #expect(named.count == 20)
    }

    @Test("an operation answers the same of anybody, or may be asked about strangers no more often than the limit")
    func answersTellNothing() throws {
        for example in Self.examples {
            let (unknown, known) = (try world(), try world())
            let ofNobody = try (0..<6).map { try code(example, of: UserID(validated: "nobody\($0)"), in: unknown) }
            let ofStrangers = try (0..<6).map { try code(example, of: UserID(validated: "there\($0)"), in: known) }
            let name = "\(example.type.operation)"
            if ofNobody == ofStrangers, !ofNobody.contains("rate_limited") { continue }
            let counted = [Int](0..<6).map { $0 < Self.limit }
            #expect(ofNobody.map { $0 != "rate_limited" } == counted, "\(name) of nobody: \(ofNobody)")
            #expect(ofStrangers.map { $0 != "rate_limited" } == counted, "\(name) of strangers: \(ofStrangers)")
        }
    }

    @Test("these alone answer the same of anybody: by what the group itself knows")
    func sameForAnybody() throws {
        let types: [any Request.Type] = [
            RemoveMember.self, SetRole.self, RemoveGroupMember.self, SetGroupRole.self, CreateChallenge.self,
        ]
        for example in Self.examples where types.contains(where: { $0 == example.type }) {
            let world = try world()
            #expect(
                try code(example, of: "nobody", in: world) == code(example, of: "there1", in: world),
                "\(example.type.operation)")
            // Nothing was spent by it.
            #expect(try world.test.writer.useUp(.lookups, by: "alice", now: at(0)) == Self.limit)
        }
    }

    @Test("looks at friends and at who shares a group cost nothing, and are answered when no looks are left")
    func friendsCostNothing() throws {
        let world = try world()
        try world.test.execute("INSERT INTO follows VALUES ('alice', 'bob', 0), ('bob', 'alice', 0)")
        for number in 0..<6 {
            _ = try code(Example(GetProfile.self), of: UserID(validated: "nobody\(number)"), in: world)
        }
        for user in ["bob", "carol", "alice"] as [UserID] {
            for _ in 0..<6 { #expect(try code(Example(GetProfile.self), of: user, in: world) == "ok") }
            for _ in 0..<6 { #expect(try code(Example(GetKeys.self), of: user, in: world) == "ok") }
        }
    }

    @Test("a conversation that is there, and a report that was made, are answered again when no looks are left")
    func repeatsCostNothing() throws {
        let world = try world()
        let made = #"{"type":"direct","participant_ids":["there0"]}"#
        let report = #"{"id":"\#(MessageID.random())","reason":"r","user_id":"there1"}"#
        #expect(try world.ask(CreateConversation.self, by: "alice", made).reply.isOK == true)
        #expect(try world.ask(CreateReport.self, by: "alice", report).reply.isOK == true)
        for _ in 0..<6 { _ = try world.ask(Follow.self, by: "alice", of: "nobody") }
        #expect(try world.ask(Follow.self, by: "alice", of: "there2").code == "rate_limited")
        #expect(try world.ask(CreateConversation.self, by: "alice", made).reply.isOK == true)
        #expect(try world.ask(CreateReport.self, by: "alice", report).reply.isOK == true)
    }
}
