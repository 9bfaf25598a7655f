import ParleyProtocol

extension MessagingClient {
    /// The user's steps, calories and minutes of exercise of each day.
    public nonisolated var metrics: Metrics { Metrics(client: self) }

    /// The user's metrics of each day: ``MessagingClient/metrics``.
    ///
    /// A report replaces those of its day with lower versions as a whole; nothing is added up, and the order of arrival
    /// does not matter. `timeZone` is the IANA name of the day's zone; later knowledge has a higher `version`.
    public struct Metrics: Sendable {
        let client: MessagingClient

        /// Reports a day. The report is stored before this returns, and sent as soon as possible:
        /// ``ClientEvent/dayReported(_:)`` follows, or ``ClientEvent/requestRefused(_:_:)``.
        public func report(
            _ values: MetricValues, on day: CivilDay, in timeZone: String, version: Int
        ) async throws(ClientError) {
            let report = ReportMetrics(day: day, timeZone: timeZone, values: values, version: version)
            try await client.perform { context throws(ClientError) in try context.keptRequests.keep(report) }
        }

        /// Reports a day at once; without a connection it fails, and nothing is stored.
        ///
        /// - Returns: the day at the gateway, which may be a later version from another device.
        @discardableResult
        public func reportNow(
            _ values: MetricValues, on day: CivilDay, in timeZone: String, version: Int
        ) async throws(ClientError) -> DayMetrics {
            let report = try await client.ask(
                ReportMetrics(day: day, timeZone: timeZone, values: values, version: version))
            guard report.day == day else { throw .malformedReply }
            return report
        }
    }
}

extension ReportMetrics: KeptCommand {
    /// Each version is queued by itself: the gateway decides which one counts.
    var keptID: UUIDValue {
        get throws { try .kept("metrics", day.description, String(version)) }
    }

    var refused: RefusedRequest { .day(day, version: version) }

    func event(of reply: DayMetrics) -> ClientEvent? { reply.day == day ? .dayReported(reply) : nil }
}
