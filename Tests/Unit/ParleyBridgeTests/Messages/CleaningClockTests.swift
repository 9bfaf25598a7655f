import Testing

@testable import ParleyBridge

@Suite("When deleted rows leave the files")
struct CleaningClockTests {
    @Test("a reader that was in the way is waited for now and then, until a cleaning is done")
    func waiting() {
        var clock = CleaningClock()
        let now = ContinuousClock.now
        #expect(clock.waits && clock.isDue(now: now))
        var waits: [Int] = []
        for number in 1...61 {
            clock.recordCleaning(isDone: false, now: now)
            if clock.waits { waits.append(number) }
        }
        #expect(waits == [30, 60])
        #expect(clock.wait(now: now) == .seconds(1))
        clock.recordCleaning(isDone: true, now: now)
        #expect(clock.waits && clock.wait(now: now) == nil)
        clock.markUnclean()
        #expect(clock.wait(now: now) == .seconds(10))
    }
}
