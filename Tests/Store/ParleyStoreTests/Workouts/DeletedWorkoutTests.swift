import ParleyProtocol
import ParleyRules
import TestNames
import TestedStores
import Testing

@testable import ParleyStore

@Suite("What is left of deleted workouts, in the store", .onEveryStore)
final class DeletedWorkoutTests: PeopleSuite {
    private func id(_ number: Int) -> WorkoutID { WorkoutID(UUIDValue(high: 1, low: UInt64(number))) }

    /// Workouts that were done a millisecond after each other, and deleted.
    private func delete(_ numbers: ClosedRange<Int>) throws {
        try store.write { transaction in
            for number in numbers {
                let time = at(Int64(number))
                try transaction.workouts.insert(
                    CountedWorkout(id: id(number), completedAt: time, day: CivilDay(time), zone: "UTC"),
                    of: "alice", kind: nil, minutes: nil, digest: [UInt8](repeating: 2, count: 16),
                    reply: WorkoutReply(
                        id: id(number), week: ISOWeek(of: CivilDay(time)), checkIns: 1, streakDays: 1))
                let stored = try #require(try transaction.facts.workouts.workout(id(number)))
                try transaction.workouts.delete(stored)
            }
        }
    }

    private func left(_ numbers: ClosedRange<Int>) throws -> [Int] {
        try store.read { snapshot throws in try numbers.filter { try snapshot.workouts.workout(id($0)) != nil } }
    }

    private func remove(before time: Timestamp, limit: Int) throws -> Int {
        try store.write { try $0.workouts.removeDeleted(before: time, limit: limit) }
    }

    @Test("it is removed when it is old, the oldest first, some at once, and a workout that stands never")
    func removal() throws {
        try delete(1...5)
        try store.write { transaction in
            try transaction.workouts.insert(
                CountedWorkout(id: id(6), completedAt: at(1), day: CivilDay(at(1)), zone: "UTC"), of: "bob", kind: nil,
                minutes: nil, digest: [UInt8](repeating: 2, count: 16),
                reply: WorkoutReply(id: id(6), week: ISOWeek(of: CivilDay(at(1))), checkIns: 1, streakDays: 1))
        }
        #expect(try remove(before: at(1), limit: 9) == 0)
        #expect(try remove(before: at(4), limit: 2) == 2 && left(1...6) == [3, 4, 5, 6])
        #expect(try remove(before: at(4), limit: 2) == 1 && left(1...6) == [4, 5, 6])
        #expect(try remove(before: at(100), limit: 9) == 2 && left(1...6) == [6])
    }

    @Test("it is found by an index, however much there is", .onSQLite(.plans))
    func removalUsesItsIndex() throws {
        try store.read { snapshot throws in
            #expect(
                try snapshot.plan(WorkoutWrites.oldDeleted)
                    == "SEARCH deleted_workouts USING COVERING INDEX deleted_workouts_by_time (completed_at<?)")
        }
    }
}
