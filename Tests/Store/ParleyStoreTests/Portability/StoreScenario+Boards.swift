import ParleyProtocol
import ParleyRules
import TestNames
import Testing

@testable import ParleyStore

extension StoreScenario {
    func boards(of conversation: ConversationState) throws {
        try store.write { transaction in
            let group = try transaction.groups.insert(
                GroupID(UUIDValue(high: 9, low: 1)), of: conversation, timeZone: "UTC",
                digest: [UInt8](repeating: 2, count: 16))
            let facts = transaction.facts
            let workouts = (0..<3).map { number in
                CountedWorkout(
                    id: WorkoutID(UUIDValue(high: 1, low: number)), completedAt: at(0), day: CivilDay(at(0)),
                    zone: "UTC")
            }
            let week = ISOWeek(of: CivilDay(at(0)))
            for workout in workouts {
                try transaction.workouts.insert(
                    workout, of: "alice", kind: nil, minutes: nil, digest: [UInt8](repeating: 2, count: 16),
                    reply: WorkoutReply(id: workout.id, week: week, checkIns: 1, streakDays: 1))
            }
            try transaction.workouts.apply(DayRunChange(adding: CivilDay(at(0)), before: nil, after: nil), to: "alice")
            let stored = try #require(try facts.workouts.workout(workouts[0].id))
            try transaction.workouts.delete(stored)
            #expect(try facts.workouts.workout(workouts[0].id)?.isDeleted == true)
            #expect(try transaction.workouts.removeDeleted(before: at(0), limit: 9) == 0)
            let next = CivilDay(at(0)).advanced(byDays: 1)
            let begun = try facts.workouts.run(of: "alice", beginningBy: next)
            try transaction.workouts.apply(DayRunChange(adding: next, before: begun, after: nil), to: "alice")
            let longer = try facts.workouts.run(of: "alice", beginningBy: next)
            #expect(longer?.days == 2)
            try transaction.workouts.apply(DayRunChange(removing: next, from: longer), to: "alice")
            let run = try facts.workouts.run(of: "alice", beginningBy: CivilDay(at(0)))
            #expect(try facts.workouts.run(of: "alice", beginningOn: CivilDay(at(0))) == run)
            #expect(try facts.workouts.workouts(of: "alice", from: CivilDay(at(0))).count == 2)
            #expect(try facts.workouts.count(of: "alice", on: CivilDay(at(0)), atMost: 1) == 1)
            let (before, after) = (CivilDay(at(0)).advanced(byDays: -2), CivilDay(at(0)).advanced(byDays: 2))
            #expect(try facts.workouts.count(of: "alice", from: before, through: after, perDay: 1) == 1)
            #expect(try facts.workouts.count(of: "alice", from: before, through: after, perDay: 9) == 2)
            #expect(try facts.workouts.longestRun(of: "alice", from: before, through: after) == 1)
            #expect(try facts.workouts.longestRun(of: "alice", from: after, through: after) == 0)
            try transaction.workouts.apply(DayRunChange(removing: CivilDay(at(0)), from: run), to: "alice")

            let period = WeekPeriod(week, in: .utc)
            try transaction.boardWeeks.put(BoardWeek(group: group.key, id: group.id, timeZone: "UTC", period: period))
            let key = BoardKey(group.key, week, .streak)
            let board = try transaction.boards.insert(key, period, removal: at(0))
            try transaction.boards.keep(key, until: at(-1))
            var changed = board
            changed.standings.set(
                (["alice", "bob", "carol"] as [UserID]).enumerated().map { index, user in
                    (user, BoardScore(value: index + 1, reachedAt: at(0), lapsesAt: at(1)), at(0))
                })
            (changed.version, changed.lapsesAt) = (2, at(1))
            try transaction.boards.update(board, to: changed)
            let read = try #require(try facts.boards.board(key))
            #expect(read == changed)
            #expect(try facts.boards.boards(of: group.key, endingAfter: at(0)) == [changed])
            #expect(try facts.boards.boards(of: group.key, showing: "alice") == [changed])
            #expect(try facts.boards.boards(of: group.key, lapsedBy: at(1)) == [changed])
            #expect(try facts.boards.boards(of: group.key, lapsedBy: at(0)).isEmpty)
            #expect(try facts.boards.unpublished(of: group.key) == [changed])
            #expect(try facts.boards.people(on: key).count == 3)
            #expect(try facts.boards.memberships(of: "alice")?.memberships.map(\.group).contains(group.key) == true)
            #expect(try facts.boards.members(of: group.key).count == conversation.facts.members.count)
            #expect(try facts.boards.isMember("alice", of: group.key))
            #expect(try facts.boards.groups(showing: "alice") == [group.key])
            #expect(try facts.boardWeeks.week(of: group.key)?.period == period)
            #expect(try facts.boardWeeks.due(at: period.endsAt, limit: 9).map(\.group) == [group.key])
            #expect(try facts.boardWeeks.due(at: at(-9_999_999_999), limit: 9).map(\.group) == [group.key])
            #expect(try facts.boardWeeks.weeks(after: nil, limit: 9).map(\.group) == [group.key])
            try transaction.boardWeeks.markAhead(group.key)
            #expect(try facts.boardWeeks.week(of: group.key)?.isAhead == true)
            let running = BoardWeek(group: group.key, id: group.id, timeZone: "UTC", period: period)
            for _ in 0..<2 { try transaction.boardWeeks.putEnded(running) }
            #expect(try facts.boardWeeks.ended(limit: 9).map(\.endedAt) == [period.endsAt])
            try transaction.boardWeeks.removeEnded(week, of: group.key)
            #expect(try facts.boardWeeks.ended(limit: 9).isEmpty)
            #expect(try facts.boardWeeks.nextEnd() == period.endsAt)
            #expect(try facts.boardWeeks.nextLapse() == at(1))
            #expect(try facts.boardWeeks.nextRemoval() == at(0))
            #expect(try facts.boardWeeks.lapsed(at: at(1), limit: 9) == [group.key])
            #expect(try facts.boardWeeks.unpublished() == [group.key])
            try transaction.outbox.setBroker(7, of: .boards)
            try transaction.boardWeeks.setClockOffset(-8)
            #expect(try facts.outbox.broker(of: .boards) == 7)
            #expect(try facts.boardWeeks.clockOffset() == -8)
            var left = changed
            left.standings.set("alice", nil, joinedAt: at(0))
            try transaction.boards.update(changed, to: left)
            #expect(try transaction.boards.removeExpired(at: at(0), limit: 9) == 1)
            try transaction.boards.removeAll(of: group.key)
            #expect(try facts.boardWeeks.week(of: group.key) == nil)
        }
    }
}
