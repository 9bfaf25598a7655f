import ParleyProtocol
import TestNames
import TestedStores
import Testing

@testable import ParleyBridge

@Suite("Challenges of workouts", .onEveryStore)
struct ChallengeWorkoutTests {
    private let world: SocialWorld
    private let group: ConversationID
    private let day: Int64 = 86_400_000

    init() throws {
        world = try SocialWorld { $0.checkInsPerDay = 2 }
        group = try world.test.conversation(["alice", "bob", "carol"])
    }

    @discardableResult
    private func log(
        by user: UserID, at time: Timestamp, id: WorkoutID = .random(), now: Timestamp
    ) throws -> SocialWorld.Result {
        try world.answer(LogWorkout(id: id, completedAt: time, timeZone: "UTC"), by: user, now: now)
    }

    private func progress(_ id: ChallengeID) throws -> [Int] {
        let challenge = try world.challenge(id)
        return ["alice", "bob"].map { challenge.progress[$0] ?? -1 }
    }

    @Test("workouts of the days count, of one day no more than the cap, and what is taken back counts no more")
    func workouts() throws {
        let id = ChallengeID.random()
        // Before it was accepted, on the day before and on the day itself.
        try log(by: "alice", at: at(-day), now: at(0))
        try log(by: "alice", at: at(-1000), now: at(0))
        try world.startChallenge(id, in: group, type: .workoutCount, days: 2)
        #expect(try progress(id) == [1, 0])
        #expect(try world.tick(at(1000)).isEmpty)
        var ids: [WorkoutID] = []
        for number in 1...3 as ClosedRange<Int64> {
            ids.append(.random())
            try log(by: "bob", at: at(number), id: ids[ids.count - 1], now: at(number * 2000))
        }
        #expect(try progress(id) == [1, 2])
        try log(by: "bob", at: at(day), now: at(day))
        #expect(try progress(id) == [1, 3])
        for (index, workout) in ids.enumerated() {
            try world.answer(DeleteWorkout(id: workout), by: "bob", now: at(day + 2000 * Int64(index + 1)))
        }
        #expect(try progress(id) == [1, 1])
    }

    @Test("a streak is the longest run of the days of the challenge")
    func streaks() throws {
        let id = ChallengeID.random()
        for before in 1...3 as ClosedRange<Int64> { try log(by: "alice", at: at(-before * day), now: at(0)) }
        try log(by: "alice", at: at(0), now: at(0))
        try world.startChallenge(id, in: group, type: .streak, days: 5)
        _ = try world.tick(at(1000))
        // The days before the challenge are not of its run.
        #expect(try progress(id) == [1, 0])
        for number in [1, 2, 4] as [Int64] {
            try log(by: "bob", at: at(number * day), now: at(number * day))
            _ = try world.tick(at(number * day + 2000))
        }
        #expect(try progress(id) == [1, 2])
        let missing = WorkoutID.random()
        try log(by: "bob", at: at(3 * day), id: missing, now: at(4 * day + 5000))
        #expect(try progress(id) == [1, 4])
        try world.answer(DeleteWorkout(id: missing), by: "bob", now: at(4 * day + 8000))
        #expect(try progress(id) == [1, 2])
        // Steps count for nothing here.
        try world.report(5, by: "bob", day: january15.advanced(byDays: 4), now: at(4 * day + 11_000))
        #expect(try progress(id) == [1, 2])
    }
}
