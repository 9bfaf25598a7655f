/// `summary/get`: the activity of a friend.
public struct GetSummary: Query, UserRequest {
    public static let operation = Operation(validatedArea: "summary", verb: "get")
    public typealias Reply = FriendSummary

    public let user: UserID

    public init(user: UserID) { self.user = user }
}

/// The activity of a user, as they and their friends see it. A value that is unknown or not shared is `nil`.
public struct FriendSummary: GatewayObject {
    /// Only their own with `share_workout_data` off.
    public struct Numbers: GatewayObject {
        /// Of their current civil day.
        public var steps: Int?
        public var calories: Int?
        public var exerciseMinutes: Int?
        /// Consecutive days with a workout, up to today or yesterday.
        public var streakDays: Int?
        public var activeChallenges: Int?

        public init(
            steps: Int? = nil, calories: Int? = nil, exerciseMinutes: Int? = nil, streakDays: Int? = nil,
            activeChallenges: Int? = nil
        ) {
            self.steps = steps
            self.calories = calories
            self.exerciseMinutes = exerciseMinutes
            self.streakDays = streakDays
            self.activeChallenges = activeChallenges
        }

        package init<Pass: FieldPass<FriendSummary.Numbers>>(fields pass: inout Pass) throws(Pass.Failure) {
            steps = try pass.optional("steps", \.steps)
            calories = try pass.optional("calories", \.calories)
            exerciseMinutes = try pass.optional("exercise_minutes", \.exerciseMinutes)
            streakDays = try pass.optional("streak_days", \.streakDays)
            activeChallenges = try pass.optional("active_challenges", \.activeChallenges)
        }
    }

    public let user: UserID
    public let numbers: Numbers
    package let achievementsList: ReadyMadeList<ActivityItem>

    /// The newest of their activity, at most ten.
    public var achievements: [ActivityItem] { achievementsList.values }

    package init(user: UserID, numbers: Numbers, achievements: ReadyMadeList<ActivityItem>) {
        (self.user, self.numbers, self.achievementsList) = (user, numbers, achievements)
    }

    package init<Pass: FieldPass<FriendSummary>>(fields pass: inout Pass) throws(Pass.Failure) {
        user = try pass.required("user_id", \.user)
        numbers = try pass.part(\.numbers)
        achievementsList = try pass.required("recent_achievements", \.achievementsList, as: .readyMadeList())
    }
}
