import ParleyProtocol

/// A time zone: the offset of its clocks from UTC at every instant.
package struct CivilZone: Sendable {
    /// In seconds; negative west of Greenwich.
    private let offset: @Sendable (Timestamp) -> Int

    /// - Parameter offset: in seconds, at most a day either way; a pure function.
    package init(offset: @escaping @Sendable (Timestamp) -> Int) { self.offset = offset }

    package static let utc = CivilZone { _ in 0 }

    package func day(at time: Timestamp) -> CivilDay { CivilDay(time, offset: offset(time)) }

    /// The first instant of a day, or of the next one where the calendar leaves it out.
    ///
    /// A day need not begin at 00:00, and may begin twice where clocks go back over midnight: then the first counts.
    package func beginning(of day: CivilDay) -> Timestamp { firstInstant(atOrAfter: day.midnight) }

    /// The first instant at which local clocks show this time or a later one.
    ///
    /// - Parameter local: as if it was UTC.
    package func firstInstant(atOrAfter local: Timestamp) -> Timestamp {
        // Nowhere are clocks more than a day off.
        let hour: Int64 = 3_600_000
        var before = local.advanced(byMilliseconds: -25 * hour)
        var offsetBefore = offset(before)
        // Nowhere do clocks change and change back within two days.
        if offset(local.advanced(byMilliseconds: 25 * hour)) == offsetBefore {
            return local.advanced(byMilliseconds: Int64(-offsetBefore) * 1000)
        }
        for _ in 0..<50 {
            // Zones change their offset at most once in an hour.
            let after = before.advanced(byMilliseconds: hour)
            let offsetAfter = offset(after)
            let change = offsetAfter == offsetBefore ? after : firstInstant(of: offsetAfter, after: before, upTo: after)
            let earlier = local.advanced(byMilliseconds: Int64(-offsetBefore) * 1000)
            if earlier < change { return max(earlier, before) }
            let later = local.advanced(byMilliseconds: Int64(-offsetAfter) * 1000)
            if later <= change { return change }
            if later < after { return later }
            (before, offsetBefore) = (after, offsetAfter)
        }
        return before
    }

    /// When clocks change to an offset that they have at `end` and not at `after`.
    private func firstInstant(of new: Int, after: Timestamp, upTo end: Timestamp) -> Timestamp {
        var (low, high) = (after.milliseconds, end.milliseconds)
        while high - low > 1 {
            let middle = low + (high - low) / 2
            if offset(Timestamp(milliseconds: middle)) == new { high = middle } else { low = middle }
        }
        return Timestamp(milliseconds: high)
    }
}
