import ParleyProtocol

/// Decides `metrics/report` (protocol §5).
///
/// Of all reports of a day the one with the highest version holds, in whatever order they come: it says everything that
/// is known of the day, and nothing is ever added up.
package enum ReportMetricsRule {
    package enum Decision: Hashable, Sendable {
        /// It is the report that holds from now on.
        case keep(DayMetrics)
        /// Another holds, or the same one was here before: the day as it is.
        case unchanged(DayMetrics)
    }

    /// The oldest day that is taken, in days before today.
    package static let longestAgo = 400

    /// - Parameters:
    ///   - existing: the report of that day that holds.
    ///   - today: the day that it is in the zone of the report, by a clock that is ahead a little.
    /// - Throws: `conflict` for another content of the version that holds, `bad_request` for a day that has not begun,
    ///   or that is too long ago.
    package static func decide(
        _ report: ReportMetrics, existing: DayMetrics?, today: CivilDay, caps: MetricCaps
    ) throws(Rejection) -> Decision {
        // Before whatever may have changed since the first time: a repeat gets the first reply.
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
    /// Whether it says what is stored of the day.
    fileprivate func isSource(of stored: DayMetrics) -> Bool {
        day == stored.day && timeZone == stored.timeZone && values == stored.values
    }
}
