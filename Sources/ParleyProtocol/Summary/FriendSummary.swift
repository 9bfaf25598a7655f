/// `summary/get`: how a friend does.
public struct GetSummary: Query, UserRequest {
    public static let operation = Operation(validatedArea: "summary", verb: "get")
    public typealias Reply = FriendSummary

    public let user: UserID

    public init(user: UserID) { self.user = user }
}

/// How somebody does, as they and their friends see it. What is not known, or not shared, is `nil`.
public struct FriendSummary: GatewayObject {
    /// What they do in numbers: with `share_workout_data` off, nobody else sees them.
    public struct Numbers: GatewayObject {
        /// Of their civil day of today.
        public var steps: Int?
        public var calories: Int?
        public var exerciseMinutes: Int?
        /// Days with a workout in a row, up to today or yesterday.
        public var streakDays: Int?
        /// How many challenges of theirs go on.
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

    /// The newest of their activity, ten at most.
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
