extension Timestamp {
    /// Clamped to the range of the text form, and truncated to milliseconds.
    package func advanced(by duration: Duration) -> Timestamp {
        advanced(byMilliseconds: duration.inMilliseconds)
    }

    /// Negative if the other time is earlier.
    package func duration(to other: Timestamp) -> Duration {
        .seconds(other.milliseconds / 1000) - .seconds(milliseconds / 1000)
            + .milliseconds(other.milliseconds % 1000 - milliseconds % 1000)
    }
}

extension Duration {
    /// Whole milliseconds, rounded towards zero; clamped to 64 bits.
    package var inMilliseconds: Int64 {
        let (seconds, attoseconds) = components
        let (product, isTooLong) = seconds.multipliedReportingOverflow(by: 1000)
        let (sum, overflow) = product.addingReportingOverflow(attoseconds / 1_000_000_000_000_000)
        guard !isTooLong, !overflow else { return seconds < 0 ? .min : .max }
        return sum
    }

    /// Days of 24 hours.
    package static func days(_ count: Int) -> Duration { .seconds(count) * 86_400 }
}
