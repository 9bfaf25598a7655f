import ParleyProtocol
import ParleyRules
import ParleyStore

// What time brings to challenges: nobody has answered, somebody has come further, the last day is over. Each challenge is
// looked at when its time has come, or when something it counts has changed, in the transactions of the writer: some in
// each, and one at most once in a second. What became due while there was no gateway is looked at by the next.

extension Writer {
    var challengeAdvance: AdvanceChallenges { AdvanceChallenges(writer: self) }
}

/// Looks at challenges that are due, in transactions of a writer's.
struct AdvanceChallenges {
    let writer: Writer

    /// The most challenges that are looked at in one transaction.
    static let atOnce = 64

    /// Looks at some of the challenges that are due.
    ///
    /// - Returns: what came of it, for the clock when it is committed; `nil` where nothing was due.
    func run(_ batch: Batch) throws(StoreError) -> ChallengeClock.Outcome? {
        try markProgress(batch)
        var clock = writer.challenges
        if let due = batch.afterCommit.challengeDueAt { clock.schedule(at: due) }
        guard clock.isDue(now: batch.steady) else { return nil }
        let due = try batch.facts().challenges.due(at: batch.steady, limit: AdvanceChallenges.atOnce)
        for challenge in due { try advance(challenge, batch) }
        return ChallengeClock.Outcome(count: due.count, next: try batch.facts().challenges.next())
    }

    /// How long until one is due; `nil` while none is.
    func wait(now: Timestamp) -> Duration? { writer.challenges.wait(now: writer.steady(now)) }

    /// Challenges of users whose days have changed in this transaction are due.
    private func markProgress(_ batch: Batch) throws(StoreError) {
        for change in batch.progressChanges.sorted() {
            let hasChallenges = try batch.writable().challenges.markProgress(
                of: change.user, isOfWorkouts: change.isOfWorkouts, at: batch.steady, pause: ChallengeClock.pause)
            if hasChallenges { batch.afterCommit.scheduleChallenge(at: batch.steady) }
        }
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
            of: challenge, in: batch.conversation(challenge.terms.conversation), writer.settings, now: batch.now)
    }
}

/// What challenges count has changed of a user.
struct ProgressChange: Hashable, Comparable {
    let user: UserID
    /// Whether it is workouts; else what is reported of days.
    let isOfWorkouts: Bool

    static func < (left: ProgressChange, right: ProgressChange) -> Bool {
        left.user == right.user ? !left.isOfWorkouts && right.isOfWorkouts : left.user < right.user
    }
}

extension Batch {
    /// Publishes a challenge as it is now.
    fileprivate func publish(_ challenge: Challenge) throws(StoreError) {
        try publish(.conversation(challenge.conversation, .challenges)) { challenge.writeEvent(to: &$0) }
    }
}

extension ConversationState {
    /// Whether what becomes of its challenges is a user's to know.
    func isVisible(to user: UserID) -> Bool { facts.member(user)?.isOpen == true }
}

extension Snapshot {
    /// How the two of a challenge stand to each other now.
    ///
    /// - Parameter conversation: that of the challenge.
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

    /// How far both have come in a challenge that was accepted; `nil` for any other.
    func progress(
        in challenge: ChallengeState, _ settings: Settings
    ) throws(StoreError) -> ChallengeState.Pair<Int>? {
        guard let first = challenge.course?.firstDays else { return nil }
        let terms = challenge.terms
        return ChallengeState.Pair(
            challenger: try progress(of: terms.challenger, in: terms, from: first.challenger, settings),
            challenged: try progress(of: terms.challenged, in: terms, from: first.challenged, settings))
    }

    /// How far somebody has come. Of those who share nothing nothing is counted, as if they had done nothing.
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
