import ParleyProtocol

/// A diet plan that is shared: which one, and enough of it for the card that shows it.
public struct DietPlanCard: Hashable, Sendable {
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
}

/// A workout plan that is shared.
public struct WorkoutPlanCard: Hashable, Sendable {
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
}

/// An invitation to a challenge; its state is the gateway's to say.
public struct ChallengeCard: Hashable, Sendable {
    public var challengeID: ChallengeID
    public var title: String
    public var challengeType: Named<ChallengeType>
    /// How many of what the type counts.
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
}

// MARK: JSON

extension DietPlanCard: ContentValue {
    init(members object: JSONObject) throws(Rejection) {
        self.init(
            planID: try object.text("plan_id", maximum: DietPlanCard.longestName).required("plan_id"),
            planTitle: try object.writtenText("plan_title", maximum: DietPlanCard.longestText).required("plan_title"),
            calories: try object.integer("calories", in: DietPlanCard.counts),
            days: try object.integer("days", in: DietPlanCard.counts),
            summary: try object.writtenText("summary", maximum: DietPlanCard.longestText))
    }

    func writeMembers(to object: inout JSONWriter) {
        object.member("plan_id", planID)
        object.member("plan_title", planTitle)
        object.member("calories", ifPresent: calories)
        object.member("days", ifPresent: days)
        object.member("summary", ifPresent: summary)
    }
}

extension WorkoutPlanCard: ContentValue {
    init(members object: JSONObject) throws(Rejection) {
        self.init(
            planID: try object.text("plan_id", maximum: WorkoutPlanCard.longestName).required("plan_id"),
            planTitle: try object.writtenText("plan_title", maximum: WorkoutPlanCard.longestText).required(
                "plan_title"),
            days: try object.integer("days", in: WorkoutPlanCard.counts),
            minutes: try object.integer("minutes", in: WorkoutPlanCard.counts),
            summary: try object.writtenText("summary", maximum: WorkoutPlanCard.longestText))
    }

    func writeMembers(to object: inout JSONWriter) {
        object.member("plan_id", planID)
        object.member("plan_title", planTitle)
        object.member("days", ifPresent: days)
        object.member("minutes", ifPresent: minutes)
        object.member("summary", ifPresent: summary)
    }
}

extension ChallengeCard: ContentValue {
    init(members object: JSONObject) throws(Rejection) {
        challengeID = try object.uuid("challenge_id").required("challenge_id")
        title = try object.writtenText("title", maximum: ChallengeCard.longestText).required("title")
        challengeType = try object.named("challenge_type").required("challenge_type")
        target = try object.integer("target", in: ChallengeCard.counts).required("target")
        durationDays = try object.integer("duration_days", in: ChallengeCard.counts).required("duration_days")
    }

    func writeMembers(to object: inout JSONWriter) {
        object.member("challenge_id", challengeID)
        object.member("title", title)
        object.member("challenge_type", challengeType.name)
        object.member("target", target)
        object.member("duration_days", durationDays)
    }
}
