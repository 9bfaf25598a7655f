import ParleyProtocol

extension MessagingClient {
    /// What the user had on their days: steps, calories, minutes of exercise.
    public nonisolated var metrics: Metrics { Metrics(client: self) }

    /// What the user had on their days: ``MessagingClient/metrics``.
    ///
    /// Each report replaces those of its day with lower versions, whole: nothing is added up, and the order in which
    /// they come does not matter. In both calls `timeZone` is the IANA name of the zone where it was that day, and
    /// `version` higher for whatever was known later.
    public struct Metrics: Sendable {
        let client: MessagingClient

        /// Reports a day as it is known now. It is kept on the device before this returns, and told to the gateway as
        /// soon as that can be reached: ``ClientEvent/dayReported(_:)`` follows, or
        /// ``ClientEvent/requestRefused(_:_:)``.
        public func report(
            _ values: MetricValues, on day: CivilDay, in timeZone: String, version: Int
        ) async throws(ClientError) {
            let report = ReportMetrics(day: day, timeZone: timeZone, values: values, version: version)
            try await client.perform { context throws(ClientError) in try context.keptRequests.keep(report) }
        }

        /// Reports a day to the gateway at once; without a connection it fails, and nothing is kept.
        ///
        /// - Returns: the day as the gateway has it, which may be what another device knew later.
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
    /// Each version waits for itself: which of them holds is the gateway's to say.
    var keptID: UUIDValue {
        get throws { try .kept("metrics", day.description, String(version)) }
    }

    var refused: RefusedRequest { .day(day, version: version) }

    func event(of reply: DayMetrics) -> ClientEvent? { reply.day == day ? .dayReported(reply) : nil }
}
