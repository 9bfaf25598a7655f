import Platform
import ParleyProtocol
import TestSupport
import Testing

@testable import ParleyClient

@Suite("When a kept request is made again")
struct RequestPacingTests {
    private let start = ContinuousClock.now

    /// How long the next one waits now.
    private func pause(_ pacing: RequestPacing) -> Duration? { pacing.pausedUntil(now: start).map { $0 - start } }

    private func fail(_ pacing: RequestPacing, _ error: ClientError, times: Int = 1) {
        var generator = Seeded(seed: 3)
        for _ in 0..<times { pacing.fail(error, now: start, using: &generator) }
    }

    @Test("what failed waits longer each time, and a new connection begins at once with short pauses")
    func backoff() throws {
        let pacing = RequestPacing()
        #expect(pause(pacing) == nil)
        fail(pacing, .unanswered(.timedOut(cause: nil)), times: 8)
        #expect(try #require(pause(pacing)) > .seconds(1))
        pacing.markConnected()
        #expect(pause(pacing) == nil)
        fail(pacing, .unanswered(.timedOut(cause: nil)))
        #expect(try #require(pause(pacing)) <= .milliseconds(500))
        pacing.succeed(UUIDValue(high: 1, low: 1))
        #expect(pause(pacing) == nil)
    }

    @Test("a gateway that limits this device is not asked before, whatever becomes of the connection")
    func limited() {
        let pacing = RequestPacing()
        fail(pacing, .refused(Rejection(.rateLimited, "", retryAfterMilliseconds: 2500)))
        pacing.markConnected()
        #expect(pause(pacing) == .milliseconds(2500))
        fail(pacing, .refused(Rejection(.rateLimited, "", retryAfterMilliseconds: 999_999_999)))
        #expect(pause(pacing) == SendQueue.longestPause)
        #expect(pacing.pausedUntil(now: start + SendQueue.longestPause) == nil)
    }

    @Test("faults of the gateway are counted over connections, until the next request")
    func faults() {
        let pacing = RequestPacing()
        let id = UUIDValue(high: 1, low: 1)
        _ = pacing.countFault(of: id)
        pacing.markConnected()
        _ = pacing.countFault(of: id)
        #expect(pacing.faults == 2)
        pacing.succeed(id)
        #expect(pacing.faults == 0)
    }

    @Test("after eight faults a request has its turn behind the others, and then after each, until it is answered")
    func turns() {
        let pacing = RequestPacing()
        let (one, two) = (UUIDValue(high: 1, low: 1), UUIDValue(high: 1, low: 2))
        func turns(_ request: UUIDValue, _ count: Int) -> [Bool] {
            (0..<count).map { _ in pacing.countFault(of: request) }
        }
        let eight = Array(repeating: false, count: 7) + [true]
        let (first, second) = (turns(one, 8), turns(two, 1))
        pacing.succeed(two)
        let again = turns(one, 2)
        pacing.succeed(one)
        let answered = turns(one, 8)
        #expect(first == eight && second == [false] && again == [true, true] && answered == eight)
    }
}
