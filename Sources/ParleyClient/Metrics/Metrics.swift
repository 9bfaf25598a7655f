import ParleyProtocol

extension MessagingClient {
    /// What the user had on their days: steps, calories, minutes of exercise.
    public nonisolated var metrics: Metrics { Metrics(client: self) }

    /// What the user had on their days: ``MessagingClient/metrics``.
    public struct Metrics: Sendable {
        let client: MessagingClient

        /// Reports a day as it is known now. Each report replaces those with lower versions, whole: nothing is added up, and
        /// the order in which they come does not matter.
        ///
        /// - Parameters:
        ///   - timeZone: the IANA name of the zone where it was that day.
        ///   - version: higher for whatever was known later.
        /// - Returns: the day as the gateway has it, which may be what another device knew later.
        @discardableResult
        public func report(
            _ values: MetricValues, on day: CivilDay, in timeZone: String, version: Int
        ) async throws(ClientError) -> DayMetrics {
            try await client.ask(ReportMetrics(day: day, timeZone: timeZone, values: values, version: version))
        }
    }
}
