import ParleyProtocol
import ParleyRules
import TestNames
import Testing

@testable import ParleyBridge

/// Challenges are kept for a time when they are over, and removed between the batches.
@Suite("The removal of challenges")
struct ChallengeRemovalTests {
    private let world: SocialWorld
    private let group: ConversationID
    private let keeping = Duration.days(90)

    init() throws {
        world = try SocialWorld()
        group = try world.test.conversation(["alice", "bob", "carol"])
    }

    private func isThere(_ id: ChallengeID, now: Timestamp) throws -> Bool {
        try world.read(GetChallenge.self, by: "carol", #"{"id":"\#(id)"}"#, now: now).code != "not_found"
    }

    private func declined(at time: Timestamp = at(0)) throws -> ChallengeID {
        let id = ChallengeID.random()
        try world.makeChallenge(id, in: group, now: time)
        try world.answer(DeclineChallenge(challenge: id), by: "bob", now: time)
        return id
    }

    @Test("what has been over for 90 days goes, by a time without steps, and what is open stays")
    func removal() throws {
        let (over, active) = (try declined(), ChallengeID.random())
        try world.startChallenge(active, in: group, days: 90)
        world.test.writer.run(ChallengeRemovalDuty.self, now: at(keeping - .milliseconds(1)))
        #expect(try isThere(over, now: at(0)))
        // The time of day is set ahead: nothing goes before its time.
        world.test.writer.clockOffset = keeping.inMilliseconds
        world.test.writer.run(ChallengeRemovalDuty.self, now: at(keeping + keeping - .milliseconds(1)))
        #expect(try isThere(over, now: at(0)))
        world.test.writer.clockOffset = 0
        // By the process that finds it, whichever that is.
        let next = try world.test.anotherWriter()
        next.run(ChallengeRemovalDuty.self, now: at(keeping))
        #expect(try !isThere(over, now: at(0)) && isThere(active, now: at(0)))
        #expect(try world.test.text("SELECT count(*) FROM challenge_sides") == "2")
    }

    @Test("one that has run its days is kept for as long after its end")
    func completed() throws {
        let id = ChallengeID.random()
        try world.startChallenge(id, in: group)
        let end = january15.advanced(byDays: 2).midnight
        #expect(try world.tick(end).map(\.status) == [.known(.completed)])
        world.test.writer.run(ChallengeRemovalDuty.self, now: end.advanced(by: keeping - .seconds(3600)))
        #expect(try isThere(id, now: end))
        world.test.writer.run(ChallengeRemovalDuty.self, now: end.advanced(by: keeping))
        #expect(try !isThere(id, now: end))
    }

    @Test("many go in parts, and then it is looked for once an hour")
    func inParts() throws {
        let last = try declined(at: at(.days(1)))
        try world.test.execute(
            """
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 400)
            INSERT INTO challenges (id, digest, conversation, type, target, duration_days, status, created_at,
                published_at)
            SELECT CAST(printf('%016d', i) AS BLOB), zeroblob(16), c.key, 'steps', 1, 1, 'declined', 0,
                \(at(0).milliseconds) FROM n, conversations c
            """)
        func left() throws -> String? { try world.test.text("SELECT count(*) FROM challenges") }
        let now = at(keeping)
        world.test.writer.run(ChallengeRemovalDuty.self, now: now)
        #expect(try left() == "145")
        // Not at once, so that the batch behind it is not held up again.
        world.test.writer.run(ChallengeRemovalDuty.self, now: now.advanced(byMilliseconds: 1))
        #expect(try left() == "145")
        world.test.writer.run(ChallengeRemovalDuty.self, now: now.advanced(byMilliseconds: 200))
        #expect(try left() == "1" && isThere(last, now: now))
        world.test.writer.run(ChallengeRemovalDuty.self, now: now.advanced(by: .days(1)))
        #expect(try left() == "0")
    }
}
