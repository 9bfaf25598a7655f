import ParleyProtocol
import TestNames
import Testing

@testable import ParleyBridge

@Suite("The gateway's request to itself")
struct SelfRequestTests {
    private let start = ContinuousClock.now
    private var request: SelfRequest

    init() { request = SelfRequest(interval: .seconds(5), now: start) }

    private func at(_ seconds: Int) -> ContinuousClock.Instant { start + .seconds(seconds) }

    @Test("it is sent when nothing was heard for the interval, and once")
    mutating func sending() {
        #expect(request.begin(now: at(4)) == false)
        request.recordReception(now: at(4))
        #expect(request.begin(now: at(8)) == false)
        #expect(request.begin(now: at(9)) == true)
        #expect(request.begin(now: at(100)) == false)
    }

    @Test("what the broker has and does not deliver is overdue after three times the interval")
    mutating func overdue() {
        _ = request.begin(now: at(5))
        // Not acknowledged: the sending connection is slow, and the intake not to blame.
        #expect(!request.isOverdue(now: at(1000)))
        request.recordAcknowledgement(now: at(1000))
        #expect(!request.isOverdue(now: at(1014)))
        #expect(request.isOverdue(now: at(1015)))
        // The new connection gets as much time.
        request.recordReception(now: at(1015))
        #expect(!request.isOverdue(now: at(5000)))
        #expect(request.begin(now: at(1019)) == false)
        #expect(request.begin(now: at(1020)) == true)
    }

    @Test(
        "an intake that is behind, and hears anything at all, is left to work; the late request is one more thing heard"
    )
    mutating func behind() {
        _ = request.begin(now: at(5))
        request.recordAcknowledgement(now: at(5))
        for second in stride(from: 15, through: 600, by: 10) {
            request.recordReception(now: at(second))
            #expect(!request.isOverdue(now: at(second + 9)))
            _ = request.begin(now: at(second + 5))
            request.recordAcknowledgement(now: at(second + 5))
        }
    }

    @Test("an intake that does not read for want of room is not blamed")
    mutating func notListening() {
        _ = request.begin(now: at(5))
        request.recordAcknowledgement(now: at(5))
        request.recordPause(now: at(60))
        #expect(!request.isOverdue(now: at(74)))
        #expect(request.isOverdue(now: at(75)))
    }

    @Test("what comes back before it is acknowledged is back")
    mutating func early() {
        _ = request.begin(now: at(5))
        request.recordReception(now: at(5))
        request.recordAcknowledgement(now: at(6))
        #expect(!request.isOverdue(now: at(1000)))
        #expect(request.begin(now: at(10)) == true)
    }

    @Test("a request whose connection is lost before it was acknowledged is sent again; one that was is owed still")
    mutating func senderLost() {
        _ = request.begin(now: at(5))
        request.recordSenderLoss(now: at(6))
        #expect(request.begin(now: at(6)) == true)
        request.recordAcknowledgement(now: at(7))
        request.recordSenderLoss(now: at(8))
        #expect(request.isOverdue(now: at(22)))
    }
}
