import Testing

@testable import ParleyWeb

@Suite("How long a passage waits")
struct PassageTimesTests {
    private static let start = Duration.seconds(1000)

    @Test("a CONNECT has 5 seconds, its answer 10")
    func signIn() {
        var times = PassageTimes(.init(), now: Self.start)
        #expect(overdue(&times, 4.9) == nil)
        #expect(overdue(&times, 5) == .connect)
        times.recordConnect(now: Self.start + .seconds(4))
        #expect(overdue(&times, 13.9) == nil)
        #expect(overdue(&times, 14) == .answer)
        times.recordSignIn()
        #expect(overdue(&times, 20) == nil)
    }

    @Test("who takes nothing for 30 seconds is cut off, and who takes a byte is not")
    func stalls() {
        for isClient in [true, false] {
            var times = signedIn()
            let waits: (Int) -> (Int, Int) = { isClient ? ($0, 0) : (0, $0) }
            #expect(overdue(&times, 1, waits(500)) == nil)
            #expect(overdue(&times, 30, waits(900)) == nil)
            #expect(overdue(&times, 30.5, waits(899)) == nil)
            #expect(overdue(&times, 60, waits(899)) == nil)
            #expect(overdue(&times, 60.5, waits(899)) == (isClient ? .client : .broker))
            #expect(overdue(&times, 61, waits(0)) == nil)
            #expect(overdue(&times, 100, waits(10)) == nil)
        }
    }

    @Test("silence on both sides is ended")
    func silence() {
        var times = signedIn()
        #expect(overdue(&times, 959) == nil)
        times.recordTraffic(now: Self.start + .seconds(959))
        #expect(overdue(&times, 1_918) == nil)
        #expect(overdue(&times, 1_919) == .silence)
    }

    private func signedIn() -> PassageTimes {
        var times = PassageTimes(.init(), now: Self.start)
        times.recordConnect(now: Self.start)
        times.recordSignIn()
        return times
    }

    private func overdue(
        _ times: inout PassageTimes, _ seconds: Double, _ waiting: (client: Int, broker: Int) = (0, 0)
    ) -> PassageTimes.Overdue? {
        times.overdue(
            now: Self.start + .seconds(seconds), waitingForClient: waiting.client, waitingForBroker: waiting.broker)
    }
}
