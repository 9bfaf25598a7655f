/// A quantity of a day's report.
public enum Metric: String, Sendable, CaseIterable, Codable {
    case steps, calories
    case exerciseMinutes = "exercise_minutes"
}

/// The user's totals of a civil day, not the changes since an earlier report.
public struct MetricValues: GatewayObject {
    public var steps: Int?
    public var calories: Int?
    public var exerciseMinutes: Int?

    public init(steps: Int? = nil, calories: Int? = nil, exerciseMinutes: Int? = nil) {
        (self.steps, self.calories, self.exerciseMinutes) = (steps, calories, exerciseMinutes)
    }

    public subscript(_ metric: Metric) -> Int? {
        switch metric {
        case .steps: steps
        case .calories: calories
        case .exerciseMinutes: exerciseMinutes
        }
    }

    package init<Pass: FieldPass<MetricValues>>(fields pass: inout Pass) throws(Pass.Failure) {
        let amount = IntegerForm(range: Limits.metricAmounts)
        steps = try pass.optional("steps", \.steps, as: amount)
        calories = try pass.optional("calories", \.calories, as: amount)
        exerciseMinutes = try pass.optional("exercise_minutes", \.exerciseMinutes, as: amount)
    }
}

/// The stored metrics of a user's day: the `data` of an accepted `metrics/report` (protocol §5).
public struct DayMetrics: GatewayObject {
    public let day: CivilDay
    public let timeZone: String
    /// Of the report in force: the highest received.
    public let version: Int
    public let values: MetricValues
    /// The amounts above the plausible maximum of a day: they are stored, and counted as that maximum.
    public let implausible: [Named<Metric>]

    public init(
        day: CivilDay, timeZone: String, version: Int, values: MetricValues, implausible: [Named<Metric>] = []
    ) {
        self.day = day
        self.timeZone = timeZone
        self.version = version
        self.values = values
        self.implausible = implausible
    }

    package init<Pass: FieldPass<DayMetrics>>(fields pass: inout Pass) throws(Pass.Failure) {
        day = try pass.required("date", \.day)
        timeZone = try pass.required("time_zone", \.timeZone, as: .text(Limits.timeZoneCharacters))
        version = try pass.required("version", \.version)
        values = try pass.part(\.values)
        implausible = try pass.required("implausible", \.implausible, as: NamesForm())
    }
}

/// An array of names, those of a later version among them.
private struct NamesForm: FieldForm {
    func read(_ name: String, of object: JSONObject) throws(Rejection) -> [Named<Metric>]? {
        try object.strings(name, maximum: Limits.objectMembers, or: "no name") { Named(String(copying: $0)) }
    }

    func write(_ value: [Named<Metric>], to writer: inout JSONWriter) {
        writer.array(value) { $1.write(to: &$0) }
    }

    var schema: FieldSchema { .array(Named<Metric>.schema, 0...Limits.objectMembers) }
}
