import ParleyProtocol
import ParleyRules
import TestNames
import TestSupport
import Testing

@Suite("Rates")
struct RateLimiterTests {
    @Test("a burst passes at once, and one more must wait")
    func burstPasses() {
        var limiter = RateLimiter<String>(Rate(burst: 60, perSecond: 20))
        #expect((0..<60).allSatisfy { _ in limiter.consume("alice", now: at(0)) == nil })
        #expect(limiter.consume("alice", now: at(0)) == 50)
        #expect(limiter.consume("bob", now: at(0)) == nil)
    }

    @Test("a refusal says exactly when there is room again")
    func refusalSaysWhen() {
        var limiter = RateLimiter<String>(Rate(burst: 1, perSecond: 20))
        _ = limiter.consume("alice", now: at(0))
        #expect(limiter.consume("alice", now: at(20)) == 30)
        #expect(limiter.consume("alice", now: at(49)) == 1)
        #expect(limiter.consume("alice", now: at(50)) == nil)
        #expect(limiter.consume("alice", now: at(50)) == 50)
    }

    @Test("refusals cost nothing")
    func refusalsCostNothing() {
        var limiter = RateLimiter<String>(Rate(burst: 1, perHour: 30))
        _ = limiter.consume("alice", now: at(0))
        for second in 0..<119 { #expect(limiter.consume("alice", now: at(Int64(second) * 1000)) != nil) }
        #expect(limiter.consume("alice", now: at(120_000)) == nil)
    }

    @Test("several are taken together or not at all")
    func allOrNothing() {
        var limiter = RateLimiter<String>(Rate(burst: 20, perHour: 30))
        #expect(limiter.consume("alice", 9, now: at(0)) == nil)
        #expect(limiter.consume("alice", 9, now: at(0)) == nil)
        // Two are left: for nine there must come seven more, one every two minutes.
        #expect(limiter.consume("alice", 9, now: at(0)) == 7 * 120_000)
        #expect(limiter.consume("alice", 2, now: at(0)) == nil)
        #expect(limiter.consume("alice", 1, now: at(0)) == 120_000)
        #expect(limiter.consume("alice", 0, now: at(0)) == nil)
        // More than there can ever be counts as all of them.
        #expect(limiter.consume("bob", .max, now: at(0)) == nil)
        #expect(limiter.consume("bob", now: at(0)) == 120_000)
    }

    @Test("no share of a token is lost, however often one asks", arguments: [1, 7, 33, 1000])
    func exact(step: Int64) {
        var limiter = RateLimiter<String>(Rate(burst: 5, perSecond: 3))
        var passed = 0
        for time in stride(from: Int64(0), through: 100_000, by: Int64.Stride(step)) where passed < 1000 {
            if limiter.consume("alice", now: at(time)) == nil { passed += 1 }
        }
        #expect((5 + 299...5 + 300).contains(passed) || step == 1000)
        // Once a second, of three: nobody is ever refused.
        #expect(step != 1000 || passed == 101)
    }

    @Test(
        "a clock that steps back locks nobody out for longer than an empty bucket does",
        arguments: [
            Int64(1), 1000, 86_400_000,
        ])
    func clockBack(step: Int64) {
        var limiter = RateLimiter<String>(Rate(burst: 2, perSecond: 1))
        _ = limiter.consume("alice", now: at(0))
        _ = limiter.consume("alice", now: at(0))
        #expect(limiter.consume("alice", now: at(-step)) == 1000)
        #expect(limiter.consume("alice", now: at(1000 - step)) == nil)
    }

    @Test("a clock that is set ahead and back refills a bucket once, and takes nothing away")
    func clockAheadRefillsOnce() {
        let year: Int64 = 365 * 86_400_000
        var limiter = RateLimiter<String>(Rate(burst: 2, perHour: 1))
        func full(_ now: Timestamp, _ limiter: inout RateLimiter<String>) -> Int {
            (0..<5).prefix { _ in limiter.consume("alice", now: now) == nil }.count
        }
        #expect(full(at(0), &limiter) == 2)
        #expect(full(at(10 * year), &limiter) == 2)
        #expect(full(at(1_000), &limiter) == 0)
        #expect(limiter.consume("alice", now: at(1_000)) == 3_600_000)
        #expect(limiter.consume("bob", now: at(1_000)) == nil)
        #expect(limiter.consume("alice", now: at(3_601_000)) == nil)
    }

    @Test("no more pass in any time than the burst and the rate", .seeded, arguments: 0..<20)
    func bounded(stream: Int) {
        var generator = Seeded(stream: UInt64(stream))
        let (burst, perSecond) = (generator.number(1...20), generator.number(1...50))
        var limiter = RateLimiter<Int>(Rate(burst: burst, perSecond: perSecond))
        var time: Int64 = 0
        var passed: [Int64] = []
        for _ in 0..<1000 {
            time += Int64(generator.number(0...60))
            if let wait = limiter.consume(0, now: at(time)) {
                #expect((1...1000 / perSecond + 1).contains(wait))
            } else {
                passed.append(time)
            }
        }
        for first in passed.indices.filter({ $0 % 7 == 0 }) {
            for last in passed.indices[first...] where last % 5 == 0 {
                let elapsed = Int(passed[last] - passed[first])
                #expect((last - first + 1) * 1000 <= burst * 1000 + elapsed * perSecond + 1000)
            }
        }
    }

    @Test("forgetting who was idle keeps everybody's limit")
    func idleIsForgotten() {
        var (small, large) = (
            RateLimiter<Int>(Rate(burst: 2, perSecond: 1), purgeAt: 3), RateLimiter<Int>(Rate(burst: 2, perSecond: 1))
        )
        for time in stride(from: Int64(0), to: 20_000, by: 130) {
            let key = Int(time / 130) % 11
            #expect(small.consume(key, now: at(time)) == large.consume(key, now: at(time)))
        }
    }

    @Test("buckets that are only charged are forgotten when they are full, too")
    func chargedIsForgotten() {
        var limiter = RateLimiter<Int>(Rate(burst: 2, perSecond: 1), purgeAt: 16)
        // A second fills what one use has emptied: some four users are active at once, and 10,000 in all.
        for key in 0..<10_000 {
            #expect(limiter.wait(for: key, 1, besides: 0, now: at(Int64(key) * 250)) == nil)
            limiter.charge(key, 1)
            #expect(limiter.count <= 16)
        }
    }

    @Test(
        "rates out of bounds are held at them",
        arguments: [
            Rate(burst: .max, perSecond: .max), Rate(burst: 0, perHour: 0), Rate(burst: -5, perSecond: -5),
            Rate(burst: .max, perHour: 1),
        ])
    func outOfBounds(rate: Rate) {
        var limiter = RateLimiter<Int>(rate)
        for now in [at(0), .earliest, .latest, Timestamp(milliseconds: .max), Timestamp(milliseconds: .min)] {
            _ = limiter.consume(0, now: now)
        }
        #expect(rate.burst >= 1 && rate.perHour >= 1)
    }
}
