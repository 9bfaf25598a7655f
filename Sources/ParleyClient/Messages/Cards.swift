import ParleyProtocol

/// A shared diet plan, with what its card shows.
public struct DietPlanCard: Hashable, Sendable, PrintedWithoutContent {
    /// The app's own id of the plan.
    public var planID: String
    public var planTitle: String
    /// A day's, in kilocalories.
    public var calories: Int?
    /// How many days it is for.
    public var days: Int?
    /// A sentence for people.
    public var summary: String?

    public init(
        planID: String, planTitle: String, calories: Int? = nil, days: Int? = nil, summary: String? = nil
    ) {
        self.planID = planID
        self.planTitle = planTitle
        self.calories = calories
        self.days = days
        self.summary = summary
    }

    public var description: String { "a diet plan" }
}

/// A workout plan that is shared.
public struct WorkoutPlanCard: Hashable, Sendable, PrintedWithoutContent {
    /// The app's own id of the plan.
    public var planID: String
    public var planTitle: String
    /// How many days it is for.
    public var days: Int?
    /// A day's.
    public var minutes: Int?
    /// A sentence for people.
    public var summary: String?

    public init(
        planID: String, planTitle: String, days: Int? = nil, minutes: Int? = nil, summary: String? = nil
    ) {
        self.planID = planID
        self.planTitle = planTitle
        self.days = days
        self.minutes = minutes
        self.summary = summary
    }

    public var description: String { "a workout plan" }
}

/// An invitation to a challenge, whose state the gateway has.
public struct ChallengeCard: Hashable, Sendable, PrintedWithoutContent {
    public var challengeID: ChallengeID
    public var title: String
    public var challengeType: Named<ChallengeType>
    /// In the unit of the type.
    public var target: Int
    public var durationDays: Int

    public init(
        challengeID: ChallengeID, title: String, challengeType: ChallengeType, target: Int, durationDays: Int
    ) {
        self.challengeID = challengeID
        self.title = title
        self.challengeType = .known(challengeType)
        self.target = target
        self.durationDays = durationDays
    }

    public var description: String { "a challenge" }
}

// MARK: JSON

extension DietPlanCard: GatewayObject {
    package init<Pass: FieldPass<DietPlanCard>>(fields pass: inout Pass) throws(Pass.Failure) {
        planID = try pass.required("plan_id", \.planID, as: .text(MessageContent.longestName))
        planTitle = try pass.required("plan_title", \.planTitle, as: .written)
        calories = try pass.optional("calories", \.calories, as: .count, without: .omitted)
        days = try pass.optional("days", \.days, as: .count, without: .omitted)
        summary = try pass.optional("summary", \.summary, as: .written, without: .omitted)
    }
}

extension WorkoutPlanCard: GatewayObject {
    package init<Pass: FieldPass<WorkoutPlanCard>>(fields pass: inout Pass) throws(Pass.Failure) {
        planID = try pass.required("plan_id", \.planID, as: .text(MessageContent.longestName))
        planTitle = try pass.required("plan_title", \.planTitle, as: .written)
        days = try pass.optional("days", \.days, as: .count, without: .omitted)
        minutes = try pass.optional("minutes", \.minutes, as: .count, without: .omitted)
        summary = try pass.optional("summary", \.summary, as: .written, without: .omitted)
    }
}

extension ChallengeCard: GatewayObject {
    package init<Pass: FieldPass<ChallengeCard>>(fields pass: inout Pass) throws(Pass.Failure) {
        challengeID = try pass.required("challenge_id", \.challengeID)
        title = try pass.required("title", \.title, as: .written)
        challengeType = try pass.required("challenge_type", \.challengeType)
        target = try pass.required("target", \.target, as: .count)
        durationDays = try pass.required("duration_days", \.durationDays, as: .count)
    }
}
