/// `metrics/report`: a user's totals of a civil day, as far as a device knows them. A higher version replaces all of
/// it.
public struct ReportMetrics: Command {
    public static let operation = Operation(validatedArea: "metrics", verb: "report")
    package static let refusalOfOperators: String? = "An operator reports nothing of themselves."
    public typealias Reply = DayMetrics

    /// At the user's place.
    public let day: CivilDay
    /// The IANA name of the zone of that place.
    public let timeZone: String
    public let values: MetricValues
    /// Chosen by the device, and higher for later knowledge.
    public let version: Int

    public init(day: CivilDay, timeZone: String, values: MetricValues, version: Int) {
        (self.day, self.timeZone, self.values, self.version) = (day, timeZone, values, version)
    }

    package init<Pass: FieldPass<ReportMetrics>>(fields pass: inout Pass) throws(Pass.Failure) {
        day = try pass.required("date", \.day)
        timeZone = try pass.required("time_zone", \.timeZone, as: TimeZoneForm())
        let amount = IntegerForm(range: Limits.metricAmounts)
        values = MetricValues(
            steps: try pass.optional("steps", \.values.steps, as: amount),
            calories: try pass.optional("calories", \.values.calories, as: amount),
            exerciseMinutes: try pass.optional("exercise_minutes", \.values.exerciseMinutes, as: amount))
        version = try pass.required("version", \.version, as: .integer(Limits.metricVersions))
    }
}
