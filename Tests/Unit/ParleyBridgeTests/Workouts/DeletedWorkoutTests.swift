import ParleyProtocol
import ParleyRules
import TestNames
import TestedStores
import Testing

@testable import ParleyBridge
@testable import ParleyStore

/// What tells a late repeat of a deleted workout, as long as there can be one.
@Suite("What is left of deleted workouts", .onEveryStore)
struct DeletedWorkoutTests {
    private let world: BoardWorld
    private let id = WorkoutID.random()
    /// So long after it was done a workout is told no more, and a while longer what is left of it is kept.
    private let keeping = WorkoutRule.deletionIsKept

    /// alice has done something and taken it back.
    init() throws {
        world = try BoardWorld()
        try world.log("alice", at: at(0), id: id)
        try world.delete("alice", id)
    }

    private func isKept() throws -> Bool { try world.test.text("SELECT count(*) FROM deleted_workouts") == "1" }

    @Test("it is kept as long as the workout could be brought again, and then removed")
    func removal() throws {
        #expect(keeping > WorkoutRule.oldest)
        world.writer.run(DeletedWorkoutRemovalDuty.self, now: at(keeping))
        #expect(try isKept())
        world.writer.run(DeletedWorkoutRemovalDuty.self, now: at(keeping + .milliseconds(1)))
        #expect(try isKept(), "it is looked for once an hour")
        world.writer.run(DeletedWorkoutRemovalDuty.self, now: at(keeping + .seconds(3600)))
        #expect(try !isKept())
    }

    @Test("it stays where either time says that the workout could still be brought", arguments: [-1, 1] as [Int64])
    func falseClocks(sign: Int64) throws {
        let year = Duration.days(365).inMilliseconds
        world.writer.clockOffset = sign * year
        // By the time that is ahead it has been long enough; by the other it is a year too early.
        let ahead = at(keeping + .days(1))
        world.writer.run(DeletedWorkoutRemovalDuty.self, now: sign > 0 ? ahead : ahead.advanced(byMilliseconds: -year))
        #expect(try isKept())
        let both = ahead.advanced(byMilliseconds: year)
        world.writer.run(DeletedWorkoutRemovalDuty.self, now: sign > 0 ? both : ahead)
        #expect(try !isKept())
    }
}
