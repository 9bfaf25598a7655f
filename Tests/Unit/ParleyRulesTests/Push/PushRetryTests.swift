import ParleyProtocol
import ParleyRules
import RepeatableRandom
import TestNames
import Testing

@Suite("When a push is tried again")
struct PushRetryTests {
    private static let far = at(.days(30))

    private static func pause(
        _ attempt: Int, retryAfter: Duration? = nil, random: UInt64, deadline: Timestamp = far
    ) -> Duration? {
        PushRetry.next(
            afterAttempt: attempt, retryAfter: retryAfter, random: random, now: at(0), deadline: deadline
        )
        .map { at(0).duration(to: $0) }
    }

    @Test(
        "pauses double from two seconds to ten minutes",
        arguments: [
            (0, 2), (1, 4), (2, 8), (3, 16), (7, 256), (8, 512), (9, 600), (10, 600), (1_000_000, 600), (-1, 2),
        ])
    func doubling(attempt: Int, seconds: Int) {
        // The longest of the random pauses is reached, and never passed.
        let longest = UInt64(seconds * 1000)
        #expect(Self.pause(attempt, random: longest) == .seconds(seconds))
        #expect(Self.pause(attempt, random: longest + 1) == .zero)
    }

    @Test("pauses are spread over all of the time")
    func jitter() throws {
        var random = SplitMix64(seed: 13)
        var quarters = [0, 0, 0, 0]
        for _ in 0..<4000 {
            let pause = try #require(Self.pause(4, random: random.next()))
            #expect(pause >= .zero && pause <= .seconds(32))
            quarters[min(3, Int(pause.inMilliseconds / 8000))] += 1
        }
        #expect(quarters.allSatisfy { (850...1150).contains($0) }, "\(quarters)")
    }

    @Test(
        "what a push service names is waited for, a day at most, and the random pause after it",
        arguments: [
            (Duration.seconds(30), 30_000), (.seconds(3600), 3_600_000), (.days(1), 86_400_000),
            (.days(1000), 86_400_000), (.seconds(Int64.max), 86_400_000), (.zero, 0), (.seconds(-5), 0),
        ] as [(Duration, Int64)])
    func retryAfter(named: Duration, milliseconds: Int64) {
        #expect(Self.pause(0, retryAfter: named, random: 0) == .milliseconds(milliseconds))
        #expect(Self.pause(0, retryAfter: named, random: 700) == .milliseconds(milliseconds + 700))
    }

    @Test("what would come at its deadline is given up")
    func deadline() {
        #expect(Self.pause(0, random: 1999, deadline: at(2000)) == .milliseconds(1999))
        #expect(Self.pause(0, random: 2000, deadline: at(2000)) == nil)
        #expect(Self.pause(0, retryAfter: .seconds(60), random: 0, deadline: at(.seconds(60))) == nil)
        #expect(Self.pause(0, random: 0, deadline: at(0)) == nil)
    }
}
