import ParleyProtocol
import Testing

@testable import ParleyClient

@Suite("How old what is known of keys may be")
struct KeyFreshnessTests {
    private let start = ContinuousClock.now
    private let alice = UserID(validated: "alice")

    private func claimFetch(_ freshness: inout KeyFreshness, _ now: ContinuousClock.Instant) -> Bool {
        freshness.claimFetch(alice, now: now)
    }

    private func claimDueFetch(_ freshness: inout KeyFreshness, _ now: ContinuousClock.Instant) -> UserID? {
        freshness.claimDueFetch(now: now)
    }

    @Test("keys are fresh for a minute after they were fetched, on one connection")
    func lifetime() {
        var freshness = KeyFreshness()
        #expect(freshness.isFresh(alice, now: start) == false)
        freshness.recordFetch(of: alice, now: start)
        #expect(freshness.isFresh(alice, now: start + .milliseconds(59_999)))
        #expect(freshness.isFresh(alice, now: start + .seconds(60)) == false)
        freshness.reset()
        #expect(freshness.isFresh(alice, now: start) == false)
    }

    @Test("keys of which the gateway says that they are others are fresh no more")
    func stale() {
        var freshness = KeyFreshness()
        freshness.recordFetch(of: alice, now: start)
        freshness.markStale(alice)
        #expect(freshness.isFresh(alice, now: start) == false)
    }

    @Test("keys that are wanted are fetched at once, as often as is allowed")
    func wanted() {
        var freshness = KeyFreshness()
        freshness.recordFetch(of: alice, now: start)
        for _ in 0..<KeyFreshness.burst {
            freshness.requestFetch(of: alice)
            #expect(freshness.isFresh(alice, now: start) == false)
            #expect(claimDueFetch(&freshness, start) == alice)
            #expect(claimDueFetch(&freshness, start) == nil)
        }
        freshness.requestFetch(of: alice)
        #expect(claimDueFetch(&freshness, start) == nil)
        #expect(claimDueFetch(&freshness, start + KeyFreshness.refillInterval) == alice)
    }

    @Test(
        "what cannot be opened has keys fetched five times in a row, then once in ten seconds, if it was wanted meanwhile"
    )
    func repeated() {
        var freshness = KeyFreshness()
        for _ in 0..<KeyFreshness.burst { #expect(claimFetch(&freshness, start)) }
        #expect(freshness.nextFetchTime == nil)
        #expect(claimFetch(&freshness, start + .seconds(1)) == false)
        #expect(freshness.nextFetchTime == start + .seconds(10))
        #expect(claimDueFetch(&freshness, start + .seconds(9)) == nil)
        #expect(claimDueFetch(&freshness, start + .seconds(10)) == alice)
        #expect(claimDueFetch(&freshness, start + .seconds(30)) == nil)
    }

    @Test("after a quiet time as many may be had in a row as before, and no more")
    func refilled() {
        var freshness = KeyFreshness()
        for _ in 0..<KeyFreshness.burst { #expect(claimFetch(&freshness, start)) }
        let later = start + .seconds(3600)
        for _ in 0..<KeyFreshness.burst { #expect(claimFetch(&freshness, later)) }
        #expect(claimFetch(&freshness, later) == false)
    }

    @Test("it remembers no more users than so many")
    func bounded() {
        var freshness = KeyFreshness()
        for number in 0..<(KeyFreshness.capacity * 2) {
            freshness.recordFetch(of: UserID(validated: "user\(number)"), now: start)
        }
        freshness.recordFetch(of: alice, now: start)
        #expect(freshness.isFresh(alice, now: start))
    }
}
