import ParleyProtocol
import ParleyRules
import TestNames
import TestedStores
import Testing

@testable import ParleyBridge

@Suite("Challenges, carried out", .onEveryStore)
struct ChallengeWriterTests {
    private let world: SocialWorld
    private let group: ConversationID
    private let id = ChallengeID.random()

    /// alice, bob and carol are in a group; alice and bob are friends with a direct conversation.
    init() throws {
        world = try SocialWorld {
            $0.openChallenges = 3
            $0.challengesPerHour = 5
        }
        group = try world.test.conversation(["alice", "bob", "carol"])
        try world.befriend("alice", "bob")
        try world.create(by: "alice", with: "bob")
    }

    private func directConversation() throws -> ConversationID { try ConversationID.direct(["alice", "bob"]) }

    /// Of each act what is published, and the code.
    private func expect(
        _ result: SocialWorld.Result, _ status: ChallengeStatus, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        #expect(result.code == nil, sourceLocation: sourceLocation)
        #expect(result.reply.data["status"] as? String == status.rawValue, sourceLocation: sourceLocation)
        #expect(
            result.events.first == "conversations/\(group)/challenges: challenge.updated",
            sourceLocation: sourceLocation)
    }

    @Test("a challenge is made, and accepted; both are announced where it was made")
    func madeAndAccepted() throws {
        try expect(try world.makeChallenge(id, in: group), .pending)
        let accepted = try world.answer(AcceptChallenge(challenge: id), by: "bob", now: at(1000))
        try expect(accepted, .active)
        #expect(accepted.reply.data["accepted_at"] as? String == at(1000).description)
        // Two civil days in UTC, of which the first is this one.
        #expect(accepted.reply.data["ends_at"] as? String == "2026-01-17T00:00:00.000Z")
        #expect(accepted.reply.data["progress"] as? [String: Int] == ["alice": 0, "bob": 0])
    }

    @Test("a challenge is declined, or cancelled, and nobody else does that")
    func declinedOrCancelled() throws {
        try world.makeChallenge(id, in: group)
        for user in ["alice", "carol"] as [UserID] {
            #expect(try world.answer(DeclineChallenge(challenge: id), by: user).code == "forbidden")
        }
        try expect(try world.answer(DeclineChallenge(challenge: id), by: "bob"), .declined)
        let other = ChallengeID.random()
        try world.makeChallenge(other, in: group)
        #expect(try world.answer(CancelChallenge(challenge: other), by: "bob").code == "forbidden")
        try expect(try world.answer(CancelChallenge(challenge: other), by: "alice"), .cancelled)
        #expect(try world.answer(AcceptChallenge(challenge: other), by: "bob").code == "conflict")
        #expect(try world.challenge(other).status == .known(.cancelled))
    }

    @Test("what is accepted again is answered as before, and announces nothing")
    func repeats() throws {
        try world.makeChallenge(id, in: group)
        let accepted = try world.answer(AcceptChallenge(challenge: id), by: "bob")
        let twice = try world.answer(AcceptChallenge(challenge: id), by: "bob", now: at(.seconds(200_000)))
        #expect(twice.events.allSatisfy { !$0.contains("message") } && twice.code == nil)
        #expect(twice.reply.data["accepted_at"] as? String == accepted.reply.data["accepted_at"] as? String)
    }

    @Test("what the caller may not see is not there for them, and members see what they take no part in")
    func visibility() throws {
        let direct = try directConversation()
        try world.makeChallenge(id, in: direct)
        #expect(try world.makeChallenge(.random(), in: direct, by: "carol").code == "not_found")
        for answer in [
            try world.answer(AcceptChallenge(challenge: id), by: "carol"),
            try world.answer(AcceptChallenge(challenge: .random()), by: "bob"),
        ] {
            #expect(answer.code == "not_found" && answer.events.isEmpty)
        }
        #expect(try world.read(GetChallenge.self, by: "carol", #"{"id":"\#(id)"}"#).code == "not_found")
        let shared = ChallengeID.random()
        try world.makeChallenge(shared, in: group)
        #expect(try world.challenge(shared, seenBy: "carol").challenger == "alice")
        func listed(_ user: UserID, _ json: String = "{}") throws -> Int? {
            (try world.read(ListChallenges.self, by: user, json).data["items"] as? [Any])?.count
        }
        #expect(try listed("alice") == 2 && listed("bob") == 2 && listed("carol") == 0)
        #expect(try listed("carol", #"{"conversation_id":"\#(group)"}"#) == 1)
        #expect(
            try world.read(ListChallenges.self, by: "carol", #"{"conversation_id":"\#(direct)"}"#).code == "not_found")
    }

    @Test("a block looks like an unfollowing to whoever is challenged or challenges")
    func blocks() throws {
        let direct = try directConversation()
        try world.makeChallenge(id, in: direct)
        try world.ask(Block.self, by: "alice", of: "bob")
        #expect(try world.makeChallenge(.random(), in: direct).code == "blocked")
        #expect(try world.makeChallenge(.random(), in: direct, by: "bob", to: "alice").code == "request_limit")
        #expect(try world.answer(AcceptChallenge(challenge: id), by: "bob").code == "request_limit")
        #expect(try world.makeChallenge(.random(), in: group).code == "blocked")
        // In the group bob sees nothing of it.
        let shared = ChallengeID.random()
        #expect(try world.makeChallenge(shared, in: group, by: "bob", to: "alice").code == nil)
        #expect(try world.answer(AcceptChallenge(challenge: shared), by: "alice").code == "blocked")
        #expect(try world.answer(DeclineChallenge(challenge: shared), by: "alice").code == nil)
    }

    @Test("what somebody does about a challenge reaches their own devices where they hear nothing of the other")
    func ownActsUnderBlock() throws {
        let conversation = try directConversation()
        let (own, toOwn) = (ChallengeID.random(), ChallengeID.random())
        try world.makeChallenge(own, in: conversation)
        try world.makeChallenge(toOwn, in: conversation, by: "bob", to: "alice")
        let blocked = try world.ask(Block.self, by: "alice", of: "bob")
        var audiences = Audiences()
        for case .conversation(let id, let members, let silences) in blocked.audience {
            audiences.set(members, silences: silences, of: id)
        }
        for act in [
            try request(CancelChallenge(challenge: own), from: device("alice", "phone")),
            try request(DeclineChallenge(challenge: toOwn), from: device("alice", "phone")),
        ] {
            let outgoing = world.test.carryOut([act]).effects.outgoing
            let event = try #require(try outgoing.events.first { $0.event == "challenge.updated" })
            for hearer in ["alice", "bob"] as [UserID] {
                let hears = audiences.hears(hearer, conversation, event.payload.span)
                #expect(hears, "\(hearer)")
            }
        }
    }

    @Test("an act is of who has acted, and progress is nobody's doing")
    func whoseDoing() throws {
        func authors(_ requests: [IncomingCommand], now: Timestamp) throws -> [String?] {
            try world.test.carryOut(requests, now: now).effects.outgoing.events
                .filter { $0.event == "challenge.updated" }.map { $0.data["user_id"] as? String }
        }
        let create = CreateChallenge(
            id: id, conversation: group, challenged: "bob", type: .steps, target: 9, durationDays: 2)
        let report = ReportMetrics(day: january15, timeZone: "UTC", values: MetricValues(steps: 5), version: 1)
        #expect(try authors([request(create, from: device("alice", "phone"))], now: at(0)) == ["alice"])
        let accept = AcceptChallenge(challenge: id)
        #expect(try authors([request(accept, from: device("bob", "phone"))], now: at(0)) == ["bob"])
        #expect(try authors([request(report, from: device("bob", "phone"))], now: at(2000)) == [nil])
    }

    @Test("so many are open at once, and so many are made in an hour")
    func limits() throws {
        var made: [ChallengeID] = []
        for _ in 0..<3 {
            made.append(.random())
            #expect(try world.makeChallenge(made[made.count - 1], in: group).code == nil)
        }
        #expect(try world.makeChallenge(.random(), in: group).code == "forbidden")
        // What waits for her answer does not count, but that it is accepted.
        let toAlice = ChallengeID.random()
        #expect(try world.makeChallenge(toAlice, in: group, by: "bob", to: "alice").code == nil)
        #expect(try world.answer(AcceptChallenge(challenge: toAlice), by: "alice").code == "forbidden")
        try world.answer(CancelChallenge(challenge: made[0]), by: "alice")
        #expect(try world.answer(AcceptChallenge(challenge: toAlice), by: "alice").code == nil)
        for id in made.dropFirst() { try world.answer(DeclineChallenge(challenge: id), by: "bob") }
        #expect(try world.makeChallenge(.random(), in: group).code == nil)
        #expect(try world.makeChallenge(.random(), in: group).code == nil)
        try world.test.execute("DELETE FROM challenge_sides WHERE challenge > 4")
        let refused = try world.makeChallenge(.random(), in: group)
        #expect(refused.code == "rate_limited" && refused.reply.retryAfter != nil)
    }

    @Test("who shares nothing takes part in nothing, and is challenged like anybody")
    func sharing() throws {
        try world.ask(ProfileChange.self, by: "alice", #"{"share_workout_data":false}"#)
        #expect(try world.makeChallenge(.random(), in: group).code == "forbidden")
        #expect(try world.makeChallenge(id, in: group, by: "bob", to: "alice").code == nil)
        #expect(try world.answer(AcceptChallenge(challenge: id), by: "alice").code == "forbidden")
        try world.ask(ProfileChange.self, by: "alice", #"{"share_workout_data":true}"#)
        #expect(try world.answer(AcceptChallenge(challenge: id), by: "alice").code == nil)
    }
}
