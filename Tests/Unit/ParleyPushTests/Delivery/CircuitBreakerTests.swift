import Testing

@testable import ParleyPush

@Suite("The circuit breaker")
struct CircuitBreakerTests {
    private static let start = ContinuousClock.now

    enum Step: Sendable {
        /// At so many seconds, what has come of something.
        case record(Double, ServiceHealth)
        /// At so many seconds, whether something may be sent.
        case sends(Double)
        case waits(Double, Duration)
    }

    private static let fiveFailures: [Step] = [
        .record(0, .fails), .record(0, .fails), .record(0, .fails), .record(0, .fails), .sends(0), .record(0, .fails),
    ]

    private static let stories: [(String, [Step])] = [
        (
            "opens after five failures in a row",
            fiveFailures + [.waits(0, .seconds(5)), .waits(4, .seconds(1)), .sends(5)]
        ),
        (
            "a success between them starts the count anew",
            [.record(0, .fails), .record(0, .fails), .record(0, .fails), .record(0, .fails), .record(0, .works)]
                + fiveFailures.dropLast() + [.sends(0)]
        ),
        ("what says nothing is not counted", fiveFailures.dropLast() + [.record(0, .unknown), .sends(0)]),
        (
            "sends one probe, and all when that goes well",
            fiveFailures + [.sends(5), .waits(5, .seconds(2)), .record(6, .works), .sends(6), .sends(6)]
        ),
        (
            "opens for twice as long when the probe fails",
            fiveFailures + [
                .sends(5), .record(6, .fails), .waits(6, .seconds(10)), .sends(16), .record(17, .fails),
                .waits(17, .seconds(20)),
            ]
        ),
        (
            "another probe follows one that has shown nothing",
            fiveFailures + [.sends(5), .record(5, .unknown), .sends(5)]
        ),
        (
            "what was sent before it opened changes nothing",
            fiveFailures + [.record(1, .works), .record(1, .fails), .waits(1, .seconds(4))]
        ),
        (
            "makes the pause that a service asks for",
            [.record(0, .throttled(for: .seconds(42))), .waits(0, .seconds(42)), .sends(42)]
        ),
        (
            "of two pauses the longer counts",
            [
                .record(0, .throttled(for: .seconds(42))), .record(1, .throttled(for: .seconds(3))),
                .waits(1, .seconds(41)),
                .record(2, .throttled(for: .seconds(60))), .waits(2, .seconds(60)),
            ]
        ),
        (
            "a pause is no longer than five minutes",
            [.record(0, .throttled(for: .seconds(86_400))), .waits(0, .seconds(300))]
        ),
    ]

    @Test(
        "the breaker", arguments: stories.indices)
    func breaker(_ index: Int) {
        var breaker = CircuitBreaker()
        for step in Self.stories[index].1 {
            switch step {
            case .record(let second, let health):
                breaker.record(health, at: Self.start + .seconds(second), jitter: 1)
            case .sends(let second):
                let admission = breaker.admit(at: Self.start + .seconds(second))
                #expect(admission == .send, "\(Self.stories[index].0)")
            case .waits(let second, let pause):
                #expect(breaker.pause(at: Self.start + .seconds(second)) == pause, "\(Self.stories[index].0)")
                let admission = breaker.admit(at: Self.start + .seconds(second))
                #expect(admission == .notNow(after: pause), "\(Self.stories[index].0)")
            }
        }
    }

    @Test("the pause grows to five minutes, and is drawn from its upper half")
    func pauseGrowsFiveMinutes() {
        #expect(
            (0..<8).map { CircuitBreaker.pause(times: $0) } == [5, 10, 20, 40, 80, 160, 300, 300].map { .seconds($0) })
        #expect(CircuitBreaker.pause(times: .max) == .seconds(300))
        for (jitter, pause) in [(0, 2.5), (0.5, 3.75), (1, 5), (-3, 2.5), (7, 5)] {
            var breaker = CircuitBreaker()
            for _ in 0..<5 { breaker.record(.fails, at: Self.start, jitter: jitter) }
            #expect(breaker.pause(at: Self.start) == .seconds(pause))
        }
    }
}
