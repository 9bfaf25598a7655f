/// Growing pauses between attempts, each a random part of a doubling bound ("full jitter"), so that many clients that
/// lost one broker do not come back at once.
package struct Backoff: Sendable {
    private let first: Duration
    private let longest: Duration
    private var bound: Duration

    /// - Parameters:
    ///   - first: the bound of the first pause.
    ///   - longest: the greatest bound.
    package init(first: Duration = .milliseconds(100), longest: Duration = .seconds(30)) {
        self.first = max(first, .milliseconds(1))
        self.longest = max(longest, self.first)
        bound = self.first
    }

    /// The next pause: more than zero, and at most the bound, which doubles.
    package mutating func next(using generator: inout some RandomNumberGenerator) -> Duration {
        let fraction = Double.random(in: 0..<1, using: &generator)
        let pause = max(.milliseconds(1), bound * fraction)
        bound = min(longest, bound * 2)
        return pause
    }

    package mutating func next() -> Duration {
        var generator = SystemRandomNumberGenerator()
        return next(using: &generator)
    }

    /// After a success: the next pause is a first one.
    package mutating func reset() {
        bound = first
    }
}
