/// `workouts/log`: somebody has done something, and says when and where (protocol §5).
public struct LogWorkout: Command {
    public static let operation = Operation(validatedArea: "workouts", verb: "log")
    public static let fields = "id, completed_at, time_zone, kind?, minutes?"
    public typealias Reply = WorkoutReply

    public let id: WorkoutID
    public let completedAt: Timestamp
    /// The IANA name of the zone where it was done: its day is the day that it was there.
    public let timeZone: String
    /// What it was, in the person's words.
    public let kind: String?
    public let minutes: Int?

    public init(id: WorkoutID, completedAt: Timestamp, timeZone: String, kind: String? = nil, minutes: Int? = nil) {
        self.id = id
        self.completedAt = completedAt
        self.timeZone = timeZone
        self.kind = kind
        self.minutes = minutes
    }

    public init(_ object: JSONObject) throws(Rejection) {
        id = try object.uuid("id").required("id")
        completedAt = try object.timestamp("completed_at").required("completed_at")
        timeZone = try object.timeZoneName("time_zone").required("time_zone")
        kind = try object.text("kind", maximum: Limits.workoutKindCharacters)
        minutes = try object.integer("minutes", in: Limits.workoutMinutes)
    }

    public func writeFields(to object: inout JSONWriter) {
        object.member("id", id)
        object.member("completed_at", completedAt)
        object.member("time_zone", timeZone)
        if let kind { object.member("kind", kind) }
        if let minutes { object.member("minutes", minutes) }
    }

    /// What makes two requests of one id the same: everything that was sent, and who sent it.
    public func identityPreimage(sender: DeviceAddress) -> [UInt8] {
        var preimage = IdentityPreimage(reserving: (kind?.utf8.count ?? 0) + 256)
        preimage.field(sender.user.text.utf8)
        preimage.field(sender.device.text.utf8)
        preimage.field(String(completedAt.milliseconds).utf8)
        preimage.field(timeZone.utf8)
        // An empty kind is another than none.
        preimage.field((kind.map { "=\($0)" } ?? "").utf8)
        preimage.field((minutes.map { String($0) } ?? "").utf8)
        return preimage.bytes
    }
}

/// `workouts/delete`: takes back what was logged.
public struct DeleteWorkout: Command {
    public static let operation = Operation(validatedArea: "workouts", verb: "delete")
    public static let fields = "id"
    public typealias Reply = WorkoutReply

    public let id: WorkoutID

    public init(id: WorkoutID) { self.id = id }

    public init(_ object: JSONObject) throws(Rejection) { id = try object.uuid("id").required("id") }

    public func writeFields(to object: inout JSONWriter) { object.member("id", id) }
}

/// The workout reply of protocol §5: how its user stands with it.
public struct WorkoutReply: Hashable, Sendable {
    public let id: WorkoutID
    /// The week that the workout was done in.
    public let week: ISOWeek
    /// Of that week.
    public let checkIns: Int
    /// As it is now.
    public let streakDays: Int

    public init(id: WorkoutID, week: ISOWeek, checkIns: Int, streakDays: Int) {
        self.id = id
        self.week = week
        self.checkIns = checkIns
        self.streakDays = streakDays
    }
}

extension WorkoutReply: GatewayObject {
    package init<Pass: FieldPass<WorkoutReply>>(fields pass: inout Pass) throws(Pass.Failure) {
        id = try pass.required("id", \.id)
        week = try pass.required("week", \.week)
        checkIns = try pass.required("check_ins", \.checkIns)
        streakDays = try pass.required("streak_days", \.streakDays)
    }
}
