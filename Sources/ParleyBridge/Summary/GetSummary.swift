import ParleyProtocol
import ParleyRules
import ParleyStore

/// Achievements and numbers of a friend, or of the caller.
extension GetSummary: QueryHandler {
    private static let achievements = 10

    func answer(in context: QueryContext) throws -> WrittenAnswer {
        let (caller, snapshot) = (context.caller.user, context.snapshot)
        try context.checkFriendship(with: user)
        guard let profile = try snapshot.users.profile(user) else { throw Rejection.userNotFound }
        var achievements = PageBuilder<ActivityKey>(limit: Self.achievements)
        try snapshot.activities.read(of: user, seenBy: caller, before: nil) { stored in
            achievements.append(stored.key, stored.item.write)
        }
        let isShared = profile.sharesWorkoutData || user == caller
        let summary = FriendSummary(
            user: user, numbers: isShared ? try snapshot.numbers(of: profile, context) : FriendSummary.Numbers(),
            achievements: .json(achievements.json))
        return summary.write
    }
}

extension Snapshot {
    /// The numbers of a user's own day, none above its cap: more is implausible.
    fileprivate func numbers(of profile: Profile, _ context: QueryContext) throws -> FriendSummary.Numbers {
        let settings = context.reader.settings
        let zone = profile.timeZone.flatMap(CivilZones.zone) ?? .utc
        let today = try metrics.day(zone.day(at: context.now), of: profile.user)?.values
        func capped(_ value: Int?, _ metric: Metric) -> Int? { value.map { min($0, settings.metricCaps[metric]) } }
        return FriendSummary.Numbers(
            steps: capped(today?.steps, .steps), calories: capped(today?.calories, .calories),
            exerciseMinutes: capped(today?.exerciseMinutes, .exerciseMinutes),
            streakDays: try streakDays(of: profile.user, settings, now: context.now),
            activeChallenges: try summaries.activeChallenges(of: profile.user))
    }
}
