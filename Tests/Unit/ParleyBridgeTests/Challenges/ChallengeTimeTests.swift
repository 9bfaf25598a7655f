import ParleyProtocol
import ParleyRules
import TestNames
import TestedStores
import Testing

@testable import ParleyBridge

/// What time brings to challenges, with a clock that the tests turn.
@Suite("Challenges as time passes", .onEveryStore)
struct ChallengeTimeTests {
    private let world: SocialWorld
    private let group: ConversationID
    private let id = ChallengeID.random()
    /// The end of two days of which 2026-01-15 is the first, in UTC.
    private let end = january15.advanced(byDays: 2).midnight

    init() throws {
        world = try SocialWorld { $0.stepsPerDay = 1000 }
        group = try world.test.conversation(["alice", "bob", "carol"])
    }

    private func progress(_ challenge: Challenge?) -> [Int] {
        ["alice", "bob"].map { challenge?.progress[$0] ?? -1 }
    }

    @Test("a challenge that nobody answers expires after 48 hours, once")
    func expires() throws {
        try world.makeChallenge(id, in: group)
        let end = at(.seconds(48 * 3600))
        #expect(try world.tick(end.advanced(byMilliseconds: -1)).isEmpty)
        #expect(try world.challenge(id).status == .known(.pending))
        #expect(try world.tick(end).map(\.status) == [.known(.expired)])
        #expect(try world.tick(end.advanced(by: .days(100))).isEmpty)
        #expect(try world.answer(AcceptChallenge(challenge: id), by: "bob", now: end).code == "conflict")
    }

    @Test("what became due while there was no gateway is done by the next, once")
    func afterRestart() throws {
        let (pending, active) = (ChallengeID.random(), ChallengeID.random())
        try world.startChallenge(active, in: group)
        try world.report(7, by: "bob", now: at(2000))
        _ = try world.tick(at(3000))
        try world.makeChallenge(pending, in: group, now: at(5000))
        let next = try world.test.anotherWriter()
        let late = at(.days(10))
        let done = try world.tick(next, late)
        #expect(Set(done.map(\.status)) == [.known(.expired), .known(.completed)] && done.count == 2)
        #expect(try world.challenge(active).winner == "bob")
        #expect(try world.tick(next, late.advanced(by: .days(1))).isEmpty)
        #expect(try world.tick(try world.test.anotherWriter(), late.advanced(by: .days(2))).isEmpty)
    }

    @Test("progress is announced at once, and then at most once a second, and only where there is any")
    func progressIsCoalesced() throws {
        try world.startChallenge(id, in: group)
        #expect(try world.tick(at(1000)).isEmpty)
        let first = try world.test.carryOut([steps(5, by: "alice", version: 1)], now: at(2000)).effects.outgoing
        #expect(try world.challenges(first).map(progress) == [[5, 0]])
        var announced = 0
        for version in 2...20 {
            let now = at(2000 + Int64(version) * 10)
            let outgoing = try world.test.carryOut([steps(version, by: "bob", version: version)], now: now)
                .effects.outgoing
            announced += try world.challenges(outgoing).count
        }
        #expect(announced == 0)
        #expect(try world.tick(at(2999)).isEmpty)
        #expect(try world.tick(at(3000)).map(progress) == [[5, 20]])
        // Calories count for nothing here, and the same again is no news.
        let same = ReportMetrics(
            day: january15, timeZone: "UTC", values: MetricValues(steps: 5, calories: 9), version: 2)
        let outgoing = try world.test.carryOut([request(same, from: device("alice", "phone"))], now: at(9000))
        #expect(try world.challenges(outgoing.effects.outgoing).isEmpty)
        #expect(try world.challenge(id).progress == ["alice": 5, "bob": 20])
    }

    private func steps(_ steps: Int, by user: UserID, version: Int) throws -> IncomingCommand {
        try request(
            ReportMetrics(day: january15, timeZone: "UTC", values: MetricValues(steps: steps), version: version),
            from: device(user, "phone"))
    }

    @Test("the whole day of acceptance counts, the days before and after do not, and none for more than the cap")
    func daysCount() throws {
        try world.report(900, by: "alice", day: january15.advanced(byDays: -1))
        try world.report(10, by: "alice", day: january15)
        try world.startChallenge(id, in: group, now: at(5))
        #expect(try progress(world.challenge(id)) == [10, 0])
        #expect(try world.tick(at(1005)).isEmpty)
        try world.report(5000, by: "bob", day: january15, now: at(3000))
        try world.report(1, by: "bob", day: january15.advanced(byDays: 1), now: at(.days(1)))
        try world.report(900, by: "alice", day: january15.advanced(byDays: 2), now: at(.days(2) + .seconds(-33_000)))
        #expect(try world.challenge(id).progress == ["alice": 10, "bob": 1001])
        let done = try world.tick(end)
        #expect(done.map(\.status) == [.known(.completed)] && done.first?.winner == "bob")
        // What comes after it changes nothing.
        try world.report(9, by: "alice", day: january15, version: 2, now: end.advanced(by: .seconds(5)))
        #expect(try world.tick(end.advanced(by: .seconds(10))).isEmpty)
        #expect(try world.challenge(id).progress == ["alice": 10, "bob": 1001])
    }

    @Test("each counts the days of where they are, and it ends when both are over")
    func zones() throws {
        try world.ask(ProfileChange.self, by: "alice", #"{"time_zone":"Pacific/Auckland"}"#)
        try world.ask(ProfileChange.self, by: "bob", #"{"time_zone":"America/Los_Angeles"}"#)
        // It is the 16th where alice is, and the 15th where bob is.
        let now = at(.seconds(5 * 3600))
        let accepted = try world.startChallenge(id, in: group, days: 1, now: now)
        #expect(accepted.reply.data["ends_at"] as? String == "2026-01-16T11:00:00.000Z")
        for user in ["alice", "bob"] as [UserID] {
            for (offset, steps) in [(0, 3), (1, 40)] {
                try world.report(
                    steps, by: user, day: january15.advanced(byDays: offset), zone: "Pacific/Auckland", now: now)
            }
        }
        _ = try world.tick(now.advanced(by: .seconds(2)))
        #expect(try world.challenge(id).progress == ["alice": 40, "bob": 3])
    }

    @Test("a clock that runs ahead ends nothing early, and one that comes back holds nothing up for good")
    func falseClocks() throws {
        try world.startChallenge(id, in: group)
        try world.report(3, by: "alice", now: at(2000))
        _ = try world.tick(at(3000))
        // The gateway has followed a false step of ten days, and the machine has run for an hour.
        world.test.writer.clockOffset = Duration.days(10).inMilliseconds
        #expect(try world.tick(at(.days(10) + .seconds(3600))).isEmpty)
        #expect(try world.challenge(id).status == .known(.active))
        // It is taken back.
        world.test.writer.clockOffset = 0
        #expect(try world.tick(end.advanced(byMilliseconds: -1)).isEmpty)
        #expect(try world.tick(end).map(\.status) == [.known(.completed)])
        // Made in a false year, it is over two days after its days have passed.
        let other = ChallengeID.random()
        let year = Duration.days(365)
        world.test.writer.clockOffset = year.inMilliseconds
        try world.startChallenge(other, in: group, now: at(year))
        world.test.writer.clockOffset = 0
        #expect(try world.tick(at(.days(3))).isEmpty)
        #expect(try world.tick(at(.days(5))).map(\.status) == [.known(.completed)])
    }

    @Test("who leaves, or shares nothing any more, stands still, and is as if they had done nothing")
    func leavingAndSharing() throws {
        let shared = ChallengeID.random()
        for id in [id, shared] { try world.startChallenge(id, in: group) }
        try world.report(10, by: "alice", now: at(2000))
        try world.report(20, by: "bob", now: at(4000))
        #expect(try world.challenge(id).progress == ["alice": 10, "bob": 20])
        let hidden = try world.test.carryOut(
            [request(ProfileChange.self, #"{"share_workout_data":false}"#, from: device("bob", "phone"))],
            now: at(6000))
        #expect(try world.challenges(hidden.effects.outgoing).map(progress) == [[10, 0], [10, 0]])
        try world.ask(ProfileChange.self, by: "bob", #"{"share_workout_data":true}"#, now: at(8000))
        #expect(try world.challenge(id).progress == ["alice": 10, "bob": 20])
        try world.ask(LeaveConversation.self, by: "bob", #"{"conversation_id":"\#(group)"}"#, now: at(9000))
        let left = try world.report(99, by: "alice", version: 2, now: at(11_000))
        #expect(left.events.isEmpty)
        #expect(try world.tick(end).map(\.outcome) == [.known(.void), .known(.void)])
        #expect(try world.challenge(id).progress == ["alice": 10, "bob": 20])
        #expect(try world.read(GetChallenge.self, by: "bob", #"{"id":"\#(id)"}"#).code == "not_found")
    }

    @Test(
        "between two who are friends no more nothing is shown, and at the end it is void, a block like an unfollowing")
    func apart() throws {
        for act in [Block.self, Unfollow.self] as [any Command.Type] {
            let world = try SocialWorld()
            try world.befriend("alice", "bob")
            try world.create(by: "alice", with: "bob")
            let id = ChallengeID.random()
            try world.startChallenge(id, in: try ConversationID.direct(["alice", "bob"]))
            try world.report(10, by: "alice", now: at(2000))
            try world.ask(act, by: "bob", of: "alice", now: at(3000))
            #expect(try world.report(99, by: "alice", version: 2, now: at(5000)).events.isEmpty)
            #expect(try world.report(99, by: "bob", now: at(7000)).events.isEmpty)
            #expect(try world.tick(end).map(\.outcome) == [.known(.void)])
            #expect(try world.challenge(id).progress == ["alice": 10, "bob": 0])
        }
    }

    @Test("many that are due are done in parts")
    func inParts() throws {
        let world = try SocialWorld {
            $0.openChallenges = 1000
            $0.challengesPerHour = 1000
        }
        let group = try world.test.conversation(["alice", "bob"])
        let count = ChallengeDuty.atOnce * 2 + 5
        for _ in 0..<count { try world.makeChallenge(.random(), in: group) }
        var now = at(.days(2))
        var parts: [Int] = []
        for _ in 0..<20 {
            let done = try world.tick(now)
            if !done.isEmpty { parts.append(done.count) }
            now = now.advanced(byMilliseconds: 50)
        }
        #expect(parts == [64, 64, 5])
    }
}
