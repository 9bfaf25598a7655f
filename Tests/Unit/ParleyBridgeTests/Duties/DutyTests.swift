import Logging
import ParleyProtocol
import ParleyStore
import TestNames
import Testing

@testable import ParleyBridge

@Suite("What is due by time")
struct DutyTests {
    private let test: TestWriter

    init() throws { test = try TestWriter() }

    private func isRun(_ duty: any Duty.Type, at time: Timestamp) -> Bool {
        !test.writer.isDue(duty, now: time)
    }

    private static var all: [any Duty.Type] {
        [
            KeyChangeDuty.self, ChallengeDuty.self, PreviousTokenDuty.self, ExpiryDuty.self, FeedRemovalDuty.self,
            ChallengeRemovalDuty.self, DeletedWorkoutRemovalDuty.self, LimitRemovalDuty.self, InfoDuty.self,
            BoardDuty.self,
        ]
    }

    @Test("each is looked at when a process begins, and then not before something is due")
    func atTheBeginning() throws {
        #expect(test.writer.duties.wait(at: test.writer.moment(at(0)), hasRoom: true) == .zero)
        #expect(Self.all.allSatisfy { test.writer.isDue($0, now: at(0)) })
        test.carryOut([], now: at(0))
        _ = test.writer.runDuties(now: at(0))
        #expect(Self.all.allSatisfy { isRun($0, at: at(1_000)) })
        let wait = try #require(test.writer.duties.wait(at: test.writer.moment(at(1_000)), hasRoom: true))
        #expect(wait > .seconds(60))
    }

    @Test("what others may have left is looked for, of every kind, and once")
    func lookingAgain() throws {
        test.carryOut([], now: at(0))
        _ = test.writer.runDuties(now: at(0))
        test.writer.duties.lookAgain()
        #expect(Self.all.allSatisfy { test.writer.isDue($0, now: at(20_000)) })
        test.carryOut([], now: at(20_000))
        _ = test.writer.runDuties(now: at(20_000))
        #expect(Self.all.allSatisfy { isRun($0, at: at(21_000)) })
    }

    @Test("one that fails holds up no other, and is tried again after its pause")
    func oneFails() throws {
        test.carryOut([try send(try test.conversation(["alice", "bob"]), expiresIn: 5)], now: at(0))
        try test.execute(
            "CREATE TRIGGER poison BEFORE UPDATE ON records BEGIN SELECT RAISE(ABORT, 'no room'); END")
        let later = at(6_000)
        _ = test.writer.runDuties(now: later)
        #expect(test.writer.duties.wait(at: test.writer.moment(later), hasRoom: true) == ExpiryDuty.pause)
        #expect(Self.all.allSatisfy { isRun($0, at: later) })
        try test.execute("DROP TRIGGER poison")
        _ = test.writer.runDuties(now: later.advanced(by: ExpiryDuty.pause))
        #expect(try test.text("SELECT count(content) FROM records") == "0")
    }

    @Test("one that another gateway was in the way of is done at once, as requests wait behind it")
    func neighbourInTheWay() throws {
        let duty = ObstructedDuty(obstacles: 3)
        _ = test.writer.run(due: duty, now: at(0))
        #expect(duty.state == .done && duty.obstacles == 0)
        #expect(test.counters.conflicts.current == 3)
    }

    @Test("one that others are always in the way of gives up, and comes again after its pause")
    func neighboursAlwaysInTheWay() throws {
        let duty = ObstructedDuty(obstacles: .max)
        _ = test.writer.run(due: duty, now: at(0))
        #expect(duty.state == .failed)
        #expect(test.counters.conflicts.current == 8)
    }
}

/// One whose transaction fails for others' sake at first.
private final class ObstructedDuty: Duty {
    enum State { case due, done, failed }

    typealias Done = Void
    typealias Wake = Never
    static let failure: Logger.Message = "it could not be done"
    static let sharedWork: SharedWork? = nil
    private(set) var obstacles: Int
    private(set) var state = State.due

    init(obstacles: Int) { self.obstacles = obstacles }

    func wait(at moment: Moment) -> Duration? { state == .due ? .zero : nil }

    func run(in batch: Batch) throws(StoreError) {
        guard obstacles > 0 else { return }
        obstacles -= 1
        throw .conflict(message: "another transaction")
    }

    func recordCommitted(_ done: Void, at moment: Moment) { state = .done }
    func recordFailure(at moment: Moment) { state = .failed }
}

@Suite("When a duty is due")
struct DutyScheduleTests {
    /// After a part that left this.
    private func schedule(_ dueAt: Timestamp?, pause: Duration = .milliseconds(250), at time: Timestamp) -> DutySchedule
    {
        var schedule = DutySchedule()
        schedule.recordCommitted(NextPart(dueAt: dueAt, pause: pause), at: time)
        return schedule
    }

    @Test("at first there may be something, whatever the time")
    func unknownAtFirst() {
        #expect(DutySchedule().isDue(at: at(0)))
    }

    @Test("it waits for the first that is due")
    func waitsForTheFirst() {
        var schedule = schedule(nil, at: at(0))
        #expect(schedule.wait(at: at(1)) == nil)
        schedule.wake(at: at(9_000))
        schedule.wake(at: at(5_000))
        schedule.wake(at: at(7_000))
        #expect(schedule.wait(at: at(1_000)) == .milliseconds(4_000))
        #expect(schedule.wait(at: at(5_000)) == .milliseconds(0))
        #expect(schedule.wait(at: at(9_000)) == .milliseconds(0))
    }

    @Test("what is due one after the other is done together after the pause")
    func doneTogether() {
        var schedule = schedule(at(1_001), at: at(1_000))
        #expect(schedule.wait(at: at(1_001)) == .milliseconds(249))
        #expect(schedule.isDue(at: at(1_250)))
        schedule = self.schedule(at(1_001), pause: .zero, at: at(1_002))
        #expect(schedule.isDue(at: at(1_002)), "what is left of one part does not wait")
    }

    @Test("a clock that steps back holds up nothing that is due by it")
    func clockStepHoldsNothingUp() {
        var schedule = schedule(nil, at: at(86_400_000))
        schedule.wake(at: at(5_000))
        #expect(schedule.wait(at: at(1_000)) == .milliseconds(4_000))
        #expect(schedule.isDue(at: at(5_000)))
    }

    @Test("what failed is tried again, and not at once")
    func failedIsTriedAgain() {
        var schedule = schedule(at(5_000), at: at(0))
        schedule.recordFailure(pause: .milliseconds(250), at: at(6_000))
        #expect(schedule.wait(at: at(6_000)) == .milliseconds(250))
        #expect(schedule.isDue(at: at(6_250)))
    }
}
