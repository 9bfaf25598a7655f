import ParleyProtocol
import Testing

@testable import ParleyClient

@Suite("How old what is known of keys may be")
struct KeyFreshnessTests {
    private let start = ContinuousClock.now
    private let alice = UserID(validated: "alice")

    private func mayGuess(_ freshness: inout KeyFreshness, _ now: ContinuousClock.Instant) -> Bool {
        freshness.mayGuess(alice, now: now)
    }

    private func dueGuess(_ freshness: inout KeyFreshness, _ now: ContinuousClock.Instant) -> UserID? {
        freshness.dueGuess(now: now)
    }

    @Test("keys are fresh for a minute after they were fetched, on one connection")
    func lifetime() {
        var freshness = KeyFreshness()
        #expect(freshness.isFresh(alice, now: start) == false)
        freshness.wasFetched(alice, now: start)
        #expect(freshness.isFresh(alice, now: start + .milliseconds(59_999)))
        #expect(freshness.isFresh(alice, now: start + .seconds(60)) == false)
        freshness.disconnected()
        #expect(freshness.isFresh(alice, now: start) == false)
    }

    @Test("keys of which the gateway says that they are others are fresh no more")
    func stale() {
        var freshness = KeyFreshness()
        freshness.wasFetched(alice, now: start)
        freshness.isStale(alice)
        #expect(freshness.isFresh(alice, now: start) == false)
    }

    @Test("keys that are wanted are fetched at once, as often as guesses are allowed")
    func wanted() {
        var freshness = KeyFreshness()
        freshness.wasFetched(alice, now: start)
        for _ in 0..<KeyFreshness.mostGuesses {
            freshness.want(alice)
            #expect(freshness.isFresh(alice, now: start) == false)
            #expect(dueGuess(&freshness, start) == alice)
            #expect(dueGuess(&freshness, start) == nil)
        }
        freshness.want(alice)
        #expect(dueGuess(&freshness, start) == nil)
        #expect(dueGuess(&freshness, start + KeyFreshness.betweenGuesses) == alice)
    }

    @Test(
        "what cannot be opened has keys fetched five times in a row, then once in ten seconds, if it was wanted meanwhile"
    )
    func guesses() {
        var freshness = KeyFreshness()
        for _ in 0..<KeyFreshness.mostGuesses { #expect(mayGuess(&freshness, start)) }
        #expect(freshness.nextGuess == nil)
        #expect(mayGuess(&freshness, start + .seconds(1)) == false)
        #expect(freshness.nextGuess == start + .seconds(10))
        #expect(dueGuess(&freshness, start + .seconds(9)) == nil)
        #expect(dueGuess(&freshness, start + .seconds(10)) == alice)
        #expect(dueGuess(&freshness, start + .seconds(30)) == nil)
    }

    @Test("after a quiet time as many may be had in a row as before, and no more")
    func refilled() {
        var freshness = KeyFreshness()
        for _ in 0..<KeyFreshness.mostGuesses { #expect(mayGuess(&freshness, start)) }
        let later = start + .seconds(3600)
        for _ in 0..<KeyFreshness.mostGuesses { #expect(mayGuess(&freshness, later)) }
        #expect(mayGuess(&freshness, later) == false)
    }

    @Test("it remembers no more users than so many")
    func bounded() {
        var freshness = KeyFreshness()
        for number in 0..<(KeyFreshness.capacity * 2) {
            freshness.wasFetched(UserID(validated: "user\(number)"), now: start)
        }
        freshness.wasFetched(alice, now: start)
        #expect(freshness.isFresh(alice, now: start))
    }
}
