import ParleyProtocol
import TestNames
import Testing

@testable import ParleyBridge
@testable import ParleyStore

@Suite("When something about boards is due")
struct BoardClockTests {
    private let groups = (0..<3).map { GroupKey(value: $0) }

    private func rest(unpublished: [GroupKey] = []) -> BoardClock.Done.Rest {
        BoardClock.Done.Rest(clockOffset: 0, next: BoardTimes(), unpublished: unpublished, hasEndedWeeks: false)
    }

    /// A clock that has begun, and has nothing to do.
    private func idle() -> BoardClock {
        var clock = BoardClock()
        clock.recordCommitted(BoardClock.Done(rest: rest()), steady: at(0))
        return clock
    }

    @Test("a group is published at once, and then not for a second")
    func pause() {
        var clock = idle()
        #expect(clock.mayPublish(groups[0], steady: at(0)))
        clock.recordCommitted(BoardClock.Done(published: [groups[0]]), steady: at(0))
        #expect(!clock.mayPublish(groups[0], steady: at(999)))
        #expect(clock.mayPublish(groups[1], steady: at(999)))
        #expect(clock.mayPublish(groups[0], steady: at(1000)))
        clock.recordCommitted(BoardClock.Done(postponed: [groups[0]]), steady: at(400))
        #expect(clock.wait(now: at(400), steady: at(400)) == .milliseconds(625))
        #expect(clock.due(steady: at(999), limit: 9).isEmpty)
        // With a batch at once, and without one when none has come for a moment.
        #expect(clock.due(steady: at(1000), limit: 9) == [groups[0]])
        #expect(!clock.isDue(now: at(1024), steady: at(1024)) && clock.isDue(now: at(1025), steady: at(1025)))
        clock.recordCommitted(BoardClock.Done(published: [groups[0]]), steady: at(1000))
        #expect(clock.wait(now: at(1000), steady: at(1000)) == nil)
    }

    @Test("as long as batches follow each other, boards that wait get no transaction of their own")
    func batchesTakeThemAlong() {
        var clock = idle()
        var alone = 0
        var published: [GroupKey: [Int64]] = [:]
        // A batch every few milliseconds, and 200 groups of which each changes some times a second.
        var time: Int64 = 0
        for number in 0..<500 as Range<Int64> {
            let changed = (0..<7).map { GroupKey(value: (number * 7 + $0) % 200) }
            var done = BoardClock.Done()
            for group in Set(changed + clock.due(steady: at(time), limit: 64)) {
                if clock.mayPublish(group, steady: at(time)) {
                    done.published.append(group)
                    published[group, default: []].append(time)
                } else {
                    done.postponed.append(group)
                }
            }
            clock.recordCommitted(done, steady: at(time))
            // Until the next.
            let next = time + [7, 11, 13][Int(number % 3)]
            if clock.isDue(now: at(next - 1), steady: at(next - 1)) { alone += 1 }
            time = next
        }
        #expect(alone == 0)
        #expect(published.count == 200)
        #expect(published.values.allSatisfy { zip($0, $0.dropFirst()).allSatisfy { (1000..<1013).contains($1 - $0) } })
    }

    @Test("what an earlier process has left and this one has just published waits for nothing")
    func leftBehind() {
        var clock = BoardClock()
        let rest = rest(unpublished: [groups[0], groups[1]])
        clock.recordCommitted(BoardClock.Done(published: [groups[0]], rest: rest), steady: at(0))
        #expect(clock.due(steady: at(0), limit: 9) == [groups[1]])
        // Changed again within the second, and due: it waits for the end of it.
        clock.recordCommitted(BoardClock.Done(postponed: [groups[0], groups[1]]), steady: at(10))
        #expect(clock.wait(now: at(10), steady: at(10)) == .milliseconds(1015))
    }

    @Test("nothing is done for a second after a failure")
    func failure() {
        var clock = BoardClock()
        #expect(clock.isDue(now: at(0), steady: at(0)))
        clock.recordFailure(steady: at(0))
        #expect(!clock.isDue(now: at(999), steady: at(999)))
        #expect(clock.isDue(now: at(1000), steady: at(1000)))
    }

    @Test("weeks end by the time of day, and boards are removed by the steady time")
    func twoTimes() {
        var clock = idle()
        var schedule = BoardSchedule()
        schedule.schedule(BoardTimes(weekEnd: at(5000), removal: at(9000)))
        clock.merge(schedule)
        #expect(clock.wait(now: at(1000), steady: at(0)) == .milliseconds(4000))
        #expect(clock.wait(now: at(0), steady: at(8000)) == .milliseconds(1000))
        #expect(clock.isRolloverDue(now: at(5000)) && !clock.isRolloverDue(now: at(4999)))
        #expect(clock.isRemovalDue(steady: at(9000)) && !clock.isRemovalDue(steady: at(8999)))
    }

    @Test("a clock that was set back makes all boards be counted anew, a small step does not")
    func clockOffset() {
        var clock = idle()
        clock.handle(clockOffset: -60_000)
        #expect(clock.sweep == nil)
        clock.handle(clockOffset: -60_001)
        #expect(clock.sweep?.clockOffset == -60_001 && clock.isDue(now: at(0), steady: at(0)))
        clock = idle()
        clock.handle(clockOffset: 90_000)
        #expect(clock.sweep == nil && clock.isDue(now: at(0), steady: at(0)))
    }
}
