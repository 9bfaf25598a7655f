import Logging
import ParleyProtocol
import ParleyRules
import ParleyStore

/// Expires and ends challenges, and publishes their progress.
///
/// Each is checked when it is due or when something that it counts has changed, and at most once a second.
final class ChallengeDuty: ScheduledDuty {
    static let failure: Logger.Message = "challenges could not be brought up to date"
    static let sharedWork: SharedWork? = .challenges
    static let goesWithBatches = true
    var schedule = DutySchedule()

    /// The most challenges in one transaction.
    static let atOnce = 64
    /// Between two publications of the progress of a challenge.
    static let pause = Duration.seconds(1)

    func run(in batch: Batch) throws(StoreError) -> NextPart {
        let due = try batch.facts().challenges.due(at: batch.steady, limit: Self.atOnce)
        for challenge in due { try advance(challenge, batch) }
        return NextPart(dueAt: try batch.facts().challenges.next(), pause: Pace.pause(after: due.count))
    }

    private func advance(_ stored: StoredChallenge, _ batch: Batch) throws(StoreError) {
        var challenge = stored
        let (now, steady) = (batch.now, batch.steady)
        let hasNews = challenge.state.advance(
            now: now, steady: steady, standing: try standing(of: challenge.state, batch))
        let due = challenge.state.nextLook(now: now, steady: steady)
        guard hasNews else { return try batch.writable().challenges.postpone(challenge.key, to: due) }
        try batch.writable().challenges.update(challenge, dueAt: due, publishedAt: steady)
        try batch.publish(challenge.state.object)
        guard challenge.state.status != stored.state.status else { return }
        try batch.feed.clearAnswered(challenge.state)
        if let conversation = try batch.conversation(challenge.state.terms.conversation) {
            for (user, notification) in challenge.state.notifications where conversation.isVisible(to: user) {
                batch.feed.notify(user, notification)
            }
        }
        guard case .won(let winner) = challenge.state.result else { return }
        let terms = challenge.state.terms
        try batch.feed.record(of: winner, .challengeWon(terms.id, terms.type, target: terms.target))
    }

    private func standing(
        of challenge: ChallengeState, _ batch: Batch
    ) throws(StoreError) -> ChallengeState.Standing {
        try batch.facts().standing(
            of: challenge, in: batch.conversation(challenge.terms.conversation), batch.environment.settings,
            now: batch.now)
    }
}

/// A change of something that challenges count.
struct ProgressChange: Hashable, Comparable {
    let user: UserID
    /// Whether workouts have changed; else the metrics of days.
    let isOfWorkouts: Bool

    static func < (left: ProgressChange, right: ProgressChange) -> Bool {
        left.user == right.user ? !left.isOfWorkouts && right.isOfWorkouts : left.user < right.user
    }
}

extension Batch {
    /// Makes the challenges due whose users' progress has changed in this transaction.
    func markProgressOfChallenges() throws(StoreError) {
        for change in progressChanges.sorted() {
            let hasChallenges = try writable().challenges.markProgress(
                of: change.user, isOfWorkouts: change.isOfWorkouts, at: steady, pause: ChallengeDuty.pause)
            if hasChallenges { afterCommit.wake(ChallengeDuty.self, at: steady) }
        }
    }
}

extension ConversationState {
    /// Whether a user may see its challenges.
    func isVisible(to user: UserID) -> Bool { facts.member(user)?.isOpen == true }
}

extension Snapshot {
    /// The progress of both, if they may still have a challenge together.
    ///
    /// - Parameter conversation: of the challenge.
    func standing(
        of challenge: ChallengeState, in conversation: ConversationState?, _ settings: Settings, now: Timestamp
    ) throws(StoreError) -> ChallengeState.Standing {
        guard let progress = try progress(in: challenge, settings), let conversation,
            CreateChallengeRule.areTogether(
                challenge.terms, in: conversation.facts, conversation.contact, now: now,
                renewal: settings.requestRenewal)
        else { return .apart }
        return .together(progress)
    }

    /// The progress of both in an accepted challenge; `nil` for any other.
    func progress(
        in challenge: ChallengeState, _ settings: Settings
    ) throws(StoreError) -> ChallengeState.Pair<Int>? {
        guard let first = challenge.course?.firstDays else { return nil }
        let terms = challenge.terms
        return ChallengeState.Pair(
            challenger: try progress(of: terms.challenger, in: terms, from: first.challenger, settings),
            challenged: try progress(of: terms.challenged, in: terms, from: first.challenged, settings))
    }

    /// The progress of a user; zero if they do not share their workout data.
    private func progress(
        of user: UserID, in terms: ChallengeState.Terms, from first: CivilDay, _ settings: Settings
    ) throws(StoreError) -> Int {
        guard try users.profile(user)?.sharesWorkoutData == true else { return 0 }
        let last = first.advanced(byDays: terms.durationDays - 1)
        func sum(_ metric: Metric) throws(StoreError) -> Int {
            try metrics.sum(of: metric, of: user, from: first, through: last, cap: settings.metricCaps[metric])
        }
        return switch terms.type {
        case .steps: try sum(.steps)
        case .calories: try sum(.calories)
        case .workoutCount:
            try workouts.count(of: user, from: first, through: last, perDay: settings.checkInsPerDay)
        case .streak: try workouts.longestRun(of: user, from: first, through: last)
        }
    }
}
