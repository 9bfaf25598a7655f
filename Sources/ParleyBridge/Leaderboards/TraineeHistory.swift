import ParleyProtocol
import ParleyRules
import ParleyStore

/// The workouts of a user that count on boards: read once for each week, within one request.
final class TraineeHistory {
    let user: UserID
    private let facts: Snapshot
    private let now: Timestamp
    private let checkInsPerDay: Int
    /// A workout that need not be written yet. The days in a row must be written.
    private let added: CountedWorkout?
    private var known: [(period: WeekPeriod, history: WorkoutHistory)] = []

    init(of user: UserID, with added: CountedWorkout? = nil, _ facts: Snapshot, _ settings: Settings, now: Timestamp) {
        self.user = user
        self.added = added
        self.facts = facts
        self.now = now
        checkInsPerDay = settings.checkInsPerDay
    }

    /// The score of a week; `nil` for none.
    func score(_ type: LeaderboardType, in period: WeekPeriod) throws(StoreError) -> BoardScore? {
        let history = try history(in: period)
        return switch type {
        case .checkIns: history.checkIns(perDay: checkInsPerDay)
        case .streak: history.streak(CivilZones.zone)
        }
    }

    private func history(in period: WeekPeriod) throws(StoreError) -> WorkoutHistory {
        if let known = known.first(where: { $0.period == period }) { return known.history }
        let view = BoardView(period, now: now)
        let workouts = facts.workouts
        var recent = try workouts.workouts(of: user, from: view.recentFrom)
        if let added {
            recent.removeAll { $0.id == added.id }
            recent.append(added)
        }
        let earlier = try workouts.run(of: user, beginningBy: view.recentFrom.advanced(byDays: -1))
        let history = WorkoutHistory(view, recent: recent, earlier: earlier)
        known.append((period, history))
        return history
    }
}

extension Snapshot {
    /// The number of days in a row with a workout, up to today or yesterday.
    func streakDays(of user: UserID, _ settings: Settings, now: Timestamp) throws(StoreError) -> Int {
        let week = WeekPeriods.period(at: now, in: "UTC")
        return try TraineeHistory(of: user, self, settings, now: now).score(.streak, in: week)?.value ?? 0
    }
}
