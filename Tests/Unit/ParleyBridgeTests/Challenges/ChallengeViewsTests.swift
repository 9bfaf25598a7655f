import ParleyProtocol
import TestNames
import TestedStores
import Testing

@testable import ParleyBridge

/// What reads show of challenges, between two publications and when they are over.
@Suite("Challenges as they are read", .onEveryStore)
struct ChallengeViewsTests {
    private let world: SocialWorld
    private let group: ConversationID
    private let id = ChallengeID.random()
    private let end = january15.advanced(byDays: 2).midnight

    init() throws {
        world = try SocialWorld()
        group = try world.test.conversation(["alice", "bob", "carol"])
        try world.startChallenge(id, in: group)
    }

    private func progress(of user: UserID, seenBy viewer: UserID, now: Timestamp) throws -> Int? {
        let reply = try world.read(
            ListChallenges.self, by: viewer, #"{"conversation_id":"\#(group)"}"#, now: now)
        let items = try #require(reply.data["items"] as? [[String: Any]])
        let listed = (items.first?["progress"] as? [String: Int])?["\(user)"]
        #expect(try world.challenge(id, seenBy: viewer, now: now).progress[user] == listed)
        return listed
    }

    @Test("each report is read at once, and events keep their pace")
    func reportsAreReadAtOnce() throws {
        var events = 0
        for version in 1...3 {
            let now = at(Int64(100 * version))
            events += try world.report(1000 * version, by: "alice", version: version, now: now).events.count
            #expect(try progress(of: "alice", seenBy: "alice", now: now) == 1000 * version)
            #expect(try progress(of: "alice", seenBy: "bob", now: now) == 1000 * version)
        }
        #expect(events == 0)
        #expect(try world.tick(at(1000)).map { $0.progress["alice"] } == [3000])
    }

    @Test("a report of the last second is read at once, before the challenge ends and after it")
    func lastSecond() throws {
        let (early, late) = (end.advanced(byMilliseconds: -400), end.advanced(byMilliseconds: -200))
        try world.report(5, by: "alice", version: 1, now: early)
        try world.report(6, by: "alice", version: 2, now: late)
        #expect(try progress(of: "alice", seenBy: "bob", now: late) == 6)
        #expect(try progress(of: "alice", seenBy: "bob", now: end) == 6)
        #expect(try world.tick(end).map(\.winner) == ["alice"])
    }

    @Test("of whoever shares nothing any more others see no progress, also of what is over; the outcome stays")
    func sharingNothing() throws {
        try world.report(7, by: "alice", now: at(10))
        try world.report(9, by: "bob", now: at(10))
        #expect(try world.tick(end).map(\.winner) == ["bob"])
        func seen(by viewer: UserID) throws -> [Int?] {
            try ["alice", "bob"].map { try progress(of: $0, seenBy: viewer, now: end) }
        }
        #expect(try seen(by: "alice") == [7, 9])
        try world.ask(ProfileChange.self, by: "bob", #"{"share_workout_data":false}"#, now: end)
        #expect(try seen(by: "alice") == [7, 0] && seen(by: "carol") == [7, 0] && seen(by: "bob") == [7, 9])
        #expect(try world.challenge(id, seenBy: "alice", now: end).winner == "bob")
        // What is told again to whoever repeats what they did, too.
        let repeated = try world.makeChallenge(id, in: group, now: end).reply
        #expect(repeated.data["progress"] as? [String: Int] == ["alice": 7, "bob": 0])
        try world.ask(ProfileChange.self, by: "bob", #"{"share_workout_data":true}"#, now: end)
        #expect(try seen(by: "alice") == [7, 9])
    }
}
