import Platform
import ParleyProtocol
import TestSupport
import Testing

@testable import ParleyClient

@Suite("When the catching up of a client goes on")
struct FetchPacingTests {
    private let start = ContinuousClock.now

    private func fail(_ pacing: FetchPacing, _ error: ClientError) -> Duration? {
        var generator = Seeded(seed: 3)
        pacing.fail(error, now: start, using: &generator)
        return pacing.pausedUntil.map { $0 - start }
    }

    @Test("what failed waits longer each time, until something succeeds or there is a new connection")
    func backoff() throws {
        let pacing = FetchPacing()
        let pauses = (0..<6).compactMap { _ in fail(pacing, .unanswered(.tooManyWaiting)) }
        #expect(pauses.count == 6 && pauses[5] > pauses[0] * 4 && pauses[5] <= .seconds(30))
        pacing.markConnected()
        #expect(pacing.pausedUntil == nil)
        #expect(try #require(fail(pacing, .unanswered(.tooManyWaiting))) > pauses[0] * 4)
        pacing.succeed()
        #expect(pacing.pausedUntil == nil)
        #expect(try #require(fail(pacing, .unanswered(.tooManyWaiting))) <= .milliseconds(200))
    }

    @Test("the gateway says when it is asked again, within bounds")
    func told() {
        let pacing = FetchPacing()
        #expect(
            fail(pacing, .refused(Rejection(.rateLimited, "", retryAfterMilliseconds: 2500))) == .milliseconds(2500))
        let absurd = Rejection(.rateLimited, "", retryAfterMilliseconds: 999_999_999)
        #expect(fail(pacing, .refused(absurd)) == SendQueue.longestPause)
    }

    @Test("a gateway that has no sync is asked for it again on the next connection")
    func lackOfSync() {
        let pacing = FetchPacing()
        pacing.recordLackOfSync()
        pacing.succeed()
        #expect(pacing.lacksSync)
        pacing.markConnected()
        #expect(!pacing.lacksSync)
    }
}
