/// `workouts/log`: a workout of the caller's (protocol §5).
public struct LogWorkout: RepeatableCommand {
    public static let operation = Operation(validatedArea: "workouts", verb: "log")
    public typealias Reply = WorkoutReply

    public let id: WorkoutID
    public let completedAt: Timestamp
    /// The IANA name of the zone of its place, which determines its civil day.
    public let timeZone: String
    /// The kind of workout, in the user's words.
    public let kind: String?
    public let minutes: Int?

    public init(id: WorkoutID, completedAt: Timestamp, timeZone: String, kind: String? = nil, minutes: Int? = nil) {
        (self.id, self.completedAt, self.timeZone, self.kind, self.minutes) = (id, completedAt, timeZone, kind, minutes)
    }

    package init<Pass: FieldPass<LogWorkout>>(fields pass: inout Pass) throws(Pass.Failure) {
        id = try pass.required("id", \.id)
        completedAt = try pass.required("completed_at", \.completedAt)
        timeZone = try pass.required("time_zone", \.timeZone, as: TimeZoneForm())
        kind = try pass.optional("kind", \.kind, as: .text(Limits.workoutKindCharacters))
        minutes = try pass.optional("minutes", \.minutes, as: .integer(Limits.workoutMinutes))
    }

    package func identityPreimage(sender: DeviceAddress) -> [UInt8] {
        // An empty kind differs from none.
        IdentityPreimage(of: sender).field("\(completedAt.milliseconds)").field(timeZone)
            .field(kind.map { "=\($0)" }).field(minutes).bytes
    }
}

/// `workouts/delete`: removes a logged workout.
public struct DeleteWorkout: Command, IDRequest {
    public static let operation = Operation(validatedArea: "workouts", verb: "delete")
    public typealias Reply = WorkoutReply

    public let id: WorkoutID

    public init(id: WorkoutID) { self.id = id }
}

/// The workout reply of protocol §5: the user's counts.
public struct WorkoutReply: GatewayObject {
    public let id: WorkoutID
    /// The week of the workout.
    public let week: ISOWeek
    /// Of that week.
    public let checkIns: Int
    /// Up to now.
    public let streakDays: Int

    public init(id: WorkoutID, week: ISOWeek, checkIns: Int, streakDays: Int) {
        (self.id, self.week, self.checkIns, self.streakDays) = (id, week, checkIns, streakDays)
    }

    package init<Pass: FieldPass<WorkoutReply>>(fields pass: inout Pass) throws(Pass.Failure) {
        id = try pass.required("id", \.id)
        week = try pass.required("week", \.week)
        checkIns = try pass.required("check_ins", \.checkIns)
        streakDays = try pass.required("streak_days", \.streakDays)
    }
}
