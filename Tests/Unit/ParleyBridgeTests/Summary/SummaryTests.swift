import ParleyProtocol
import ParleyRules
import TestNames
import TestedStores
import Testing

@testable import ParleyBridge

@Suite("Summaries of friends", .onEveryStore)
struct SummaryTests {
    private let world: SocialWorld

    init() throws { world = try SocialWorld() }

    private func summary(_ user: UserID, by caller: UserID) throws -> Published {
        try world.read(GetSummary.self, by: caller, #"{"user_id":"\#(user)"}"#)
    }

    @Test("a summary is for friends, and for its user")
    func forFriends() throws {
        #expect(try summary("alice", by: "alice").isOK == true)
        #expect(try summary("alice", by: "bob").code == "forbidden")
        #expect(try summary("nobody", by: "bob").code == "not_found")
        try world.befriend("alice", "bob")
        #expect(try summary("alice", by: "bob").data["user_id"] as? String == "alice")
        // Who was blocked is answered like any stranger.
        try world.ask(Block.self, by: "alice", of: "bob")
        #expect(try summary("alice", by: "bob").payload == summary("alice", by: "carol").payload)
        #expect(try summary("alice", by: "bob").code == "forbidden" && summary("bob", by: "alice").code == "forbidden")
    }

    private func numbers(_ user: UserID, by caller: UserID, now: Timestamp = at(0)) throws -> FriendSummary.Numbers {
        let reply = try world.read(GetSummary.self, by: caller, #"{"user_id":"\#(user)"}"#, now: now)
        return try reply.value(FriendSummary.self).numbers
    }

    @Test("the numbers are of the day that it is where its user is, and are nobody's who shares none")
    func numbersOfToday() throws {
        try world.befriend("alice", "bob")
        #expect(try numbers("alice", by: "bob") == FriendSummary.Numbers(streakDays: 0, activeChallenges: 0))
        try world.report(1_000, by: "alice", day: january15)
        try world.report(2_000, by: "alice", day: january15.advanced(byDays: 1), now: at(.seconds(54_000)))
        #expect(try numbers("alice", by: "bob").steps == 1_000)
        // At midnight UTC it is the next day there, and still the day before in New York.
        let midnight = at(.seconds(54_000))
        #expect(try numbers("alice", by: "bob", now: midnight).steps == 2_000)
        try world.ask(ProfileChange.self, by: "alice", #"{"time_zone":"America/New_York"}"#)
        #expect(try numbers("alice", by: "bob", now: midnight).steps == 1_000)
        try world.report(10_000_000, by: "alice", day: january15, version: 2)
        let cap = world.test.writer.settings.metricCaps[.steps]
        #expect(try numbers("alice", by: "bob", now: midnight).steps == cap)
        try world.ask(ProfileChange.self, by: "alice", #"{"share_workout_data":false}"#)
        #expect(try numbers("alice", by: "bob", now: midnight) == FriendSummary.Numbers())
        #expect(try numbers("alice", by: "alice", now: midnight).steps == cap)
    }

    @Test("the streak is the one of today, and is over the day after tomorrow")
    func streak() throws {
        try world.befriend("alice", "bob")
        #expect(try numbers("alice", by: "bob").streakDays == 0)
        for day in 0..<3 {
            let time = at(.days(-day))
            try world.answer(
                LogWorkout(id: WorkoutID.random(), completedAt: time, timeZone: "UTC"), by: "alice", now: at(0))
        }
        #expect(try numbers("alice", by: "bob").streakDays == 3)
        #expect(try numbers("alice", by: "bob", now: at(.days(1))).streakDays == 3)
        #expect(try numbers("alice", by: "bob", now: at(.days(2))).streakDays == 0)
    }

    @Test("challenges that go on are counted, and none that waits or is over")
    func challenges() throws {
        try world.befriend("alice", "bob")
        try world.create(by: "alice", with: "bob")
        let direct = try ConversationID.direct(["alice", "bob"])
        let ids = (0..<2).map { _ in ChallengeID.random() }
        for id in ids { try world.makeChallenge(id, in: direct) }
        #expect(try numbers("alice", by: "bob").activeChallenges == 0)
        try world.answer(AcceptChallenge(challenge: ids[0]), by: "bob")
        #expect(try numbers("alice", by: "bob").activeChallenges == 1)
        #expect(try numbers("bob", by: "alice").activeChallenges == 1)
    }

    @Test("it has the newest of what was achieved")
    func achievements() throws {
        for number in 0..<12 {
            let json = #"{"id":"\#(ActivityID.random())","type":"plan_completed","title":"\#(number)"}"#
            try world.ask(PostActivity.self, by: "alice", json)
        }
        let data = try #require(try JSONObject(parsing: summary("alice", by: "alice").payload).object("data"))
        let read = try FriendSummary(reading: data)
        #expect(read.achievements.map(\.title) == (2..<12).reversed().map(String.init))
    }
}
