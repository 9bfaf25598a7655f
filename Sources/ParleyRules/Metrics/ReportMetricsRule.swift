import ParleyProtocol

/// Decides `metrics/report` (protocol §5).
///
/// The report of a day with the highest version holds, in whatever order reports arrive: it is complete, and nothing is
/// added up.
package enum ReportMetricsRule {
    package enum Decision: Hashable, Sendable {
        /// The report holds.
        case keep(DayMetrics)
        /// Another report holds, or this one is a repeat: the stored day.
        case unchanged(DayMetrics)
    }

    /// The oldest day accepted, in days before today.
    package static let longestAgo = 400

    /// - Parameters:
    ///   - existing: the report of that day that holds.
    ///   - today: in the zone of the report, with tolerance for a device's clock.
    /// - Throws: `conflict` for other content of the version that holds, `bad_request` for a day in the future or too
    ///   long ago.
    package static func decide(
        _ report: ReportMetrics, existing: DayMetrics?, today: CivilDay, caps: MetricCaps
    ) throws(Rejection) -> Decision {
        // First of all, so that a repeat gets the first reply whatever has changed since.
        if let existing, report.version <= existing.version {
            guard report.version < existing.version || report.isSource(of: existing) else {
                throw Rejection(.conflict, "This version of the day was reported with other values.")
            }
            return .unchanged(existing)
        }
        guard report.day <= today else { throw Rejection(.badRequest, "date: in the future") }
        guard report.day.days(to: today) <= longestAgo else {
            throw Rejection(.badRequest, "date: more than \(longestAgo) days ago")
        }
        return .keep(
            DayMetrics(
                day: report.day, timeZone: report.timeZone, version: report.version, values: report.values,
                implausible: caps.implausible(in: report.values).map(Named.known)))
    }
}

extension ReportMetrics {
    fileprivate func isSource(of stored: DayMetrics) -> Bool {
        day == stored.day && timeZone == stored.timeZone && values == stored.values
    }
}
