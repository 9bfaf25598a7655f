import ParleyProtocol
import ParleyRules
import TestNames
import TestSupport
import Testing

@testable import ParleyBridge
@testable import ParleyStore

/// What putting strangers into groups costs, and of how many groups somebody is a member because others have put them
/// in.
@Suite("Limits of groups")
struct GroupLimitsTests {
    private let test: TestWriter
    /// People who let anyone write to them; alice is a friend of the first three.
    private let others = (0..<12).map { UserID(validated: "u\($0)") }

    init() throws { test = try GroupLimitsTests.world() }

    private static func world(_ change: (inout Settings) -> Void = { _ in }) throws -> TestWriter {
        let test = try TestWriter {
            $0.firstMessageBurst = Settings().firstMessageBurst
            change(&$0)
        }
        try test.store.write { transaction in
            for number in 0..<12 {
                try transaction.users.insert(
                    UserID(validated: "u\(number)"), role: .member, displayName: "", messagePrivacy: .anyone, at: at(0))
                try transaction.devices.put(
                    device(UserID(validated: "u\(number)"), "phone"), tokenID: .random(), now: at(0),
                    expiresAt: at(1000))
            }
        }
        for friend in 0..<3 {
            try test.execute("INSERT INTO follows VALUES ('alice', 'u\(friend)', 0), ('u\(friend)', 'alice', 0)")
        }
        return test
    }

    @discardableResult
    private func reply(
        _ kind: any Command.Type, _ json: String, from user: UserID = "alice", in test: TestWriter? = nil,
        now: Timestamp = at(0)
    ) throws -> Published {
        let outcome = (test ?? self.test).carryOut([try request(kind, json, from: device(user, "phone"))], now: now)
        let published = try outcome.effects.outgoing.published
        let reply = try #require(published.first { $0.isOK != nil })
        if reply.isOK == false { #expect(published.count == 1 && outcome.effects.audience.isEmpty) }
        return reply
    }

    /// Makes a group; its code, or `nil`.
    private func group(
        _ users: some Sequence<UserID>, id: ConversationID = .random(), from user: UserID = "alice",
        in test: TestWriter? = nil, now: Timestamp = at(0)
    ) throws -> Published {
        let names = users.map { "\"\($0)\"" }.joined(separator: ",")
        return try reply(
            CreateConversation.self, #"{"type":"group","id":"\#(id)","participant_ids":[\#(names)]}"#, from: user,
            in: test, now: now)
    }

    private func add(_ users: [UserID], to id: ConversationID, now: Timestamp = at(0)) throws -> Published {
        let names = users.map { "\"\($0)\"" }.joined(separator: ",")
        return try reply(AddMembers.self, #"{"conversation_id":"\#(id)","user_ids":[\#(names)]}"#, now: now)
    }

    /// How many first messages somebody has left, by spending them.
    private func left(of user: UserID, in test: TestWriter? = nil, now: Timestamp = at(0)) -> Int {
        (try? (test ?? self.test).writer.useUp(.firstMessages, by: user, now: now)) ?? -1
    }

    // MARK: First messages

    @Test("a group of ten strangers costs nine first messages")
    func tenStrangersCostNine() throws {
        #expect(try group(others[3...11]).isOK == true)
        #expect(left(of: "alice") == 20 - 9)
    }

    @Test("two such groups are all that a burst allows, and the third waits until there is room for all of it")
    func burstAllowsTwoGroups() throws {
        for _ in 0..<2 { #expect(try group(others[3...11]).isOK == true) }
        let refused = try group(others[3...11])
        #expect(refused.code == "rate_limited" && refused.retryAfter == 7 * 120_000)
        // Nothing of it was made, and nothing of it was charged.
        #expect(try test.text("SELECT count(*) FROM conversations") == "2")
        #expect(try group(others[3...4]).isOK == true)
        #expect(left(of: "alice") == 0)
        #expect(try group([others[3]], now: at(119_999)).code == "rate_limited")
        #expect(try group([others[3]], now: at(120_000)).isOK == true)
    }

    @Test("adding costs what making costs, and who is a member already costs nothing")
    func addingCostsWhatMakingCosts() throws {
        let id = ConversationID.random()
        #expect(try group([others[0]], id: id).isOK == true)
        #expect(try add([others[3], others[4], others[1]], to: id).isOK == true)
        #expect(try add([others[3], others[4], others[0]], to: id).isOK == true)
        #expect(try add([others[3], others[5]], to: id).isOK == true)
        #expect(left(of: "alice") == 20 - 3)
        #expect(try add([others[6], others[7]], to: id).code == "rate_limited")
        #expect(try add([others[2]], to: id).isOK == true)
        #expect(try test.text("SELECT group_concat(user) FROM members") == "alice,u0,u1,u2,u3,u4,u5")
    }

    @Test("what is refused or repeated costs nothing")
    func refusedCostsNothing() throws {
        let id = ConversationID.random()
        #expect(try group(others[3...5], id: id).isOK == true)
        for _ in 0..<30 {
            #expect(try group(others[3...5], id: id).isOK == true)
            #expect(try group(others[3...6], id: id).code == "conflict")
            #expect(try group(others[3...11] + ["bob"]).code == "group_full")
            #expect(try add([others[6], "nobody"], to: id).code == "not_found")
            #expect(try group([others[6], "nobody"]).code == "not_found")
        }
        try test.execute("INSERT INTO blocks (blocker, blocked, created_at) VALUES ('u7', 'alice', 0)")
        #expect(try group([others[6], others[7]]).code == "forbidden")
        #expect(try add([others[6], others[7]], to: id).code == "forbidden")
        #expect(left(of: "alice") == 20 - 3)
    }

    @Test("where a day's storage is spent, no first message is")
    func spentStorageSpendsNoMessages() throws {
        let test = try GroupLimitsTests.world { $0.storedBytesPerDay = 1 }
        #expect(try group(others[3...5], in: test).code == "rate_limited")
        #expect(left(of: "alice", in: test) == 20)
    }

    @Test("more strangers at once than ever have room are refused for good")
    func tooManyStrangersForGood() throws {
        let test = try GroupLimitsTests.world { $0.firstMessageBurst = 2 }
        let refused = try group(others[3...5], in: test)
        #expect(refused.code == "forbidden" && refused.retryAfter == nil)
        #expect(try group(others[0...4], in: test).isOK == true)
    }

    // MARK: Groups by others

    @Test("nobody is put into more groups than the setting, and the refusal says nothing more")
    func groupsOfAUserAreLimited() throws {
        let test = try GroupLimitsTests.world {
            $0.groupsByOthers = 3
            $0.firstMessageBurst = 1000
        }
        for _ in 0..<3 { #expect(try group([others[3], others[4]], in: test).isOK == true) }
        let full = try group([others[3], others[5]], in: test)
        try test.execute("INSERT INTO blocks (blocker, blocked, created_at) VALUES ('u6', 'alice', 0)")
        let blocked = try group([others[6], others[5]], in: test)
        #expect(full.code == "forbidden" && full.payload == blocked.payload)
        // Of friends as well.
        #expect(try group([others[3]], from: others[4], in: test).code == "forbidden")
        // What one makes does not count, and who has left one has room.
        for other in others[7...11] { #expect(try group([other], from: others[3], in: test).isOK == true) }
        let first = try #require(try test.text("SELECT lower(hex(id)) FROM conversations ORDER BY key LIMIT 1"))
        let id = try #require(ConversationID(first.dashed))
        try reply(LeaveConversation.self, #"{"conversation_id":"\#(id)"}"#, from: others[3], in: test)
        #expect(try group([others[3]], in: test).isOK == true)
        #expect(try group([others[3]], in: test).code == "forbidden")
    }

    @Test("thousands of groups upon one person end at five hundred")
    func endsAtFiveHundred() throws {
        let test = try GroupLimitsTests.world { $0.firstMessageBurst = 1_000_000 }
        let requests = try (0..<TestForm.count(short: 2_000, whole: 20_000)).map { number in
            try request(
                CreateConversation.self, #"{"type":"group","participant_ids":["u3"]}"#,
                from: device(number % 2 == 0 ? "alice" : "bob", "phone"))
        }
        var made = 0
        for batch in stride(from: 0, to: requests.count, by: 500) {
            let outcome = test.carryOut(Array(requests[batch..<batch + 500]))
            made += try outcome.effects.outgoing.replies.count { $0.isOK == true }
        }
        #expect(made == 500)
        #expect(try test.text("SELECT count(*) FROM members WHERE user = 'u3'") == "500")
    }
}

extension String {
    /// A UUID's 32 digits, as it is written.
    fileprivate var dashed: String {
        let digits = Array(self)
        return [0..<8, 8..<12, 12..<16, 16..<20, 20..<32].map { String(digits[$0]) }.joined(separator: "-")
    }
}
