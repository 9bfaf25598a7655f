import Platform
import TestSupport
import Testing

/// Always the same number: 0 gives the shortest pause, all ones the longest.
private struct Constant: RandomNumberGenerator {
    let value: UInt64
    mutating func next() -> UInt64 { value }
}

@Suite("Pauses between attempts")
struct BackoffTests {
    @Test("the bound doubles up to the longest and starts over after a success")
    func growth() {
        var longest = Constant(value: .max)
        var backoff = Backoff(first: .milliseconds(100), longest: .seconds(1))
        let bounds = (0..<6).map { _ in backoff.next(using: &longest) }
        for (pause, bound) in zip(bounds, [100, 200, 400, 800, 1000, 1000]) {
            #expect(pause <= .milliseconds(bound))
            #expect(pause > .milliseconds(bound) * 0.99)
        }
        backoff.reset()
        #expect(backoff.next(using: &longest) <= .milliseconds(100))
    }

    @Test("a pause is never nothing, nor without end")
    func bounds() {
        var shortest = Constant(value: 0)
        var backoff = Backoff(first: .seconds(1), longest: .seconds(60))
        for _ in 0..<1000 { #expect(backoff.next(using: &shortest) == .milliseconds(1)) }
        var longest = Constant(value: .max)
        #expect(backoff.next(using: &longest) <= .seconds(60))
    }

    @Test("pauses are spread over the bound", .seeded)
    func jitter() {
        var random = Seeded(stream: 460)
        let pauses = Set((0..<100).map { _ in Backoff.firstPause(using: &random) })
        #expect(pauses.count > 50)
    }
}

extension Backoff {
    fileprivate static func firstPause(using generator: inout some RandomNumberGenerator) -> Duration {
        var backoff = Backoff(first: .seconds(1), longest: .seconds(60))
        return backoff.next(using: &generator)
    }
}
