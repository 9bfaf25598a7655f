/// `metrics/report`: what a user had on a civil day, as far as a device knows. A higher version replaces all of it.
public struct ReportMetrics: Command {
    public static let operation = Operation(validatedArea: "metrics", verb: "report")
    public static let fields = "date, time_zone, steps?, calories?, exercise_minutes?, version"
    public typealias Reply = DayMetrics

    /// Where the user was.
    public let day: CivilDay
    /// The IANA name of the zone in which that was the day.
    public let timeZone: String
    public let values: MetricValues
    /// Chosen by the device, and higher for whatever was known later.
    public let version: Int

    public init(day: CivilDay, timeZone: String, values: MetricValues, version: Int) {
        self.day = day
        self.timeZone = timeZone
        self.values = values
        self.version = version
    }

    public init(_ object: JSONObject) throws(Rejection) {
        day = try CivilDay.read("date", of: object).required("date")
        timeZone = try object.timeZoneName("time_zone").required("time_zone")
        values = try MetricValues(members: object)
        version = try object.integer("version", in: Limits.metricVersions).required("version")
    }

    public func writeFields(to object: inout JSONWriter) {
        object.member("date", day)
        object.member("time_zone", timeZone)
        if let steps = values.steps { object.member("steps", steps) }
        if let calories = values.calories { object.member("calories", calories) }
        if let minutes = values.exerciseMinutes { object.member("exercise_minutes", minutes) }
        object.member("version", version)
    }
}
