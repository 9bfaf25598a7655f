import ParleyProtocol
import ParleyRules
import ParleyStore

/// A member's score on a board; without one they have no line.
typealias MemberScore = (user: UserID, score: BoardScore?, joinedAt: Timestamp)

/// Writes changes of the boards of groups. They are published later in the same transaction, or soon after it.
struct BoardUpdates {
    let batch: Batch

    private var grace: Duration { batch.environment.settings.weekGrace }

    // MARK: Workouts

    /// The workouts of a user, with one that need not be written yet.
    func trainee(_ user: UserID, with added: CountedWorkout? = nil) throws(StoreError) -> TraineeHistory {
        TraineeHistory(
            of: user, with: added, try batch.facts(), batch.environment.settings, now: batch.now)
    }

    /// Updates the boards of a user whose workouts have changed.
    ///
    /// - Parameters:
    ///   - time: of the earliest workout that has changed.
    ///   - memberships: the groups of the user.
    func update(
        _ trainee: TraineeHistory, since time: Timestamp, in memberships: [GroupMembership]
    ) throws(StoreError) {
        for membership in memberships {
            let boards = try batch.facts().boards.boards(of: membership.group, endingAfter: time)
            if boards.isEmpty { try batch.writable().boardWeeks.markAhead(membership.group) }
            // Where the clock was ahead there are boards of weeks to come.
            try set(
                trainee, joinedAt: membership.joinedAt, on: boards.filter { $0.period.startsAt <= max(batch.now, time) }
            )
        }
    }

    private func set(
        _ trainee: TraineeHistory, joinedAt: Timestamp, on boards: [BoardState]
    ) throws(StoreError) {
        for board in boards where !board.period.isFinal(at: batch.now, grace: grace) {
            var standings = board.standings
            let score = try trainee.score(board.key.type, in: board.period)
            let isChanged = standings.set(trainee.user, score, joinedAt: joinedAt)
            guard standings != board.standings else { continue }
            try replace(board, standings, isChanged: isChanged)
            try notify(standings.passed(since: board.standings), by: trainee.user, on: board)
        }
    }

    /// Notifies members whom another has overtaken on a board of the current week.
    private func notify(_ passed: [UserID], by user: UserID, on board: BoardState) throws(StoreError) {
        guard !passed.isEmpty, board.period.contains(batch.now),
            let group = try batch.facts().boardWeeks.week(of: board.key.group)?.id
        else { return }
        let notification = NewNotification.rankChange(
            onBoard: board.key.type.rawValue, of: group, week: board.key.week.description, passedBy: user)
        for recipient in passed { batch.feed.notify(recipient, notification) }
    }

    /// Sets several scores on a board.
    func set(_ scores: [MemberScore], on board: BoardState, republishes: Bool = false) throws(StoreError) {
        var standings = board.standings
        let isChanged = standings.set(scores)
        try replace(board, standings, isChanged: isChanged, republishes: republishes)
    }

    /// Writes the standings of a board.
    ///
    /// - Parameter republishes: whether it is to be published again even if nothing has changed.
    func replace(
        _ board: BoardState, _ standings: Standings, isChanged: Bool, republishes: Bool = false
    ) throws(StoreError) {
        var new = board
        new.standings = standings
        // The topic is that of the current week.
        let isCurrent = board.period.contains(batch.now)
        // Where clocks go back over midnight a streak ends twice, an hour apart.
        new.lapsesAt =
            isCurrent ? standings.lapsesAt.map { $0 > batch.now ? $0 : batch.now.advanced(by: .seconds(60)) } : nil
        if isChanged { new.version += 1 }
        if !isCurrent {
            new.publishedVersion = new.version
        } else if republishes {
            new.publishedVersion = min(new.publishedVersion, new.version - 1)
        }
        if new.isUnpublished { batch.afterCommit.wakeBoards { $0.markChanged(board.key.group) } }
        try batch.writable().boards.update(board, to: new)
        batch.afterCommit.wakeBoards { $0.schedule(BoardTimes(streakEnd: new.lapsesAt)) }
    }

    // MARK: Members

    /// Removes a member from the boards of a group that are not final.
    func remove(_ user: UserID, from group: GroupKey) throws(StoreError) {
        let boards = try batch.facts().boards.boards(of: group, showing: user)
        try remove(user, from: boards.filter { !$0.period.isFinal(at: batch.now, grace: grace) })
    }

    private func remove(_ user: UserID, from boards: [BoardState]) throws(StoreError) {
        for board in boards {
            var standings = board.standings
            guard let line = standings[user] else { continue }
            standings.set(user, nil, joinedAt: line.joinedAt)
            try replace(board, standings, isChanged: true)
        }
    }

    /// Adds a new member to the boards of a group, with their workouts from before.
    func add(_ user: UserID, to group: GroupKey) throws(StoreError) {
        guard let (memberships, isShown) = try batch.facts().boards.memberships(of: user), isShown else { return }
        try show(user, in: memberships.filter { $0.group == group })
    }

    /// Adds a user to their boards, or removes them: their setting has changed. Removes them from final boards, too.
    func setShown(_ isShown: Bool, _ user: UserID) throws(StoreError) {
        guard !isShown else { return try show(user, in: memberships(of: user)) }
        for group in try batch.facts().boards.groups(showing: user) {
            try remove(user, from: try batch.facts().boards.boards(of: group, showing: user))
        }
    }

    /// Adds a user to the boards that are not final.
    private func show(_ user: UserID, in memberships: [GroupMembership]) throws(StoreError) {
        // A week that ended before this is final.
        try update(trainee(user), since: batch.now.advanced(by: .zero - grace), in: memberships)
        // Some of the workouts may be later than the current week.
        for membership in memberships { try batch.writable().boardWeeks.markAhead(membership.group) }
    }

    private func memberships(of user: UserID) throws(StoreError) -> [GroupMembership] {
        try batch.facts().boards.memberships(of: user)?.memberships ?? []
    }

    /// Publishes the boards of a user again: their name or picture has changed.
    func renew(_ user: UserID) throws(StoreError) {
        for membership in try memberships(of: user) {
            for board in try batch.facts().boards.boards(of: membership.group, endingAfter: batch.now)
            where board.standings[user] != nil {
                try replace(board, board.standings, isChanged: true)
            }
        }
    }

    // MARK: Groups

    /// Makes the first boards of a new group.
    func begin(_ group: GroupState) throws(StoreError) {
        let period = WeekPeriods.period(at: batch.now, in: group.timeZone)
        try begin(BoardWeek(group: group.key, id: group.id, timeZone: group.timeZone, period: period))
    }

    /// Removes all boards of a group that has ended.
    func end(_ group: GroupKey) throws(StoreError) { try batch.writable().boards.removeAll(of: group) }

    /// Begins a week of a group, with the members who have a score in it already: a streak may go on.
    ///
    /// - Parameter ended: the board of streaks of the week before, if no workout came after it: then it says which
    ///   go on, and no workouts are read.
    func begin(_ week: BoardWeek, after ended: BoardState? = nil) throws(StoreError) {
        try batch.writable().boardWeeks.put(week)
        batch.afterCommit.wakeBoards { $0.schedule(BoardTimes(weekEnd: week.period.endsAt)) }
        var ended = ended?.period.endsAt == week.period.startsAt ? ended : nil
        let removal = batch.steady.advanced(by: batch.now.duration(to: week.period.endsAt) + BoardUpdates.lifetime)
        var boards: [BoardState] = []
        for type in LeaderboardType.allCases {
            let key = BoardKey(week.group, week.period.week, type)
            if let board = try batch.facts().boards.board(key) {
                ended = nil
                // Made while the clock was ahead, it would go too soon after its week.
                try batch.writable().boards.keep(key, until: removal)
                boards.append(board)
            } else {
                boards.append(try batch.writable().boards.insert(key, week.period, removal: removal))
                batch.afterCommit.wakeBoards { $0.schedule(BoardTimes(removal: removal)) }
            }
        }
        if let ended {
            for board in boards { try putStreaks(of: ended, on: board) }
        } else {
            try recount(boards, of: week.group, republishes: true)
        }
    }

    /// Puts the streaks that go on onto a board of a week without workouts.
    private func putStreaks(of ended: BoardState, on board: BoardState) throws(StoreError) {
        var scores: [MemberScore] = []
        for line in ended.standings.lines where board.key.type == .streak {
            let goesOn = line.score.lapsesAt.map { $0 > batch.now } ?? false
            let score = goesOn ? line.score : try trainee(line.user).score(.streak, in: board.period)
            scores.append((line.user, score, line.joinedAt))
        }
        try set(scores, on: board, republishes: true)
    }

    /// How long boards are kept after their week.
    static let lifetime = Duration.days(90)

    /// Counts the workouts of all members of a group anew.
    ///
    /// - Parameters:
    ///   - boards: of one week.
    ///   - republishes: whether they are to be published again even if nothing has changed.
    func recount(_ boards: [BoardState], of group: GroupKey, republishes: Bool) throws(StoreError) {
        guard let period = boards.first?.period else { return }
        var scores: [LeaderboardType: [MemberScore]] = [:]
        for member in try batch.facts().boards.members(of: group) where member.sharesWorkouts {
            let trainee = try trainee(member.user)
            for type in LeaderboardType.allCases {
                let score = try trainee.score(type, in: period)
                scores[type, default: []].append((member.user, score, member.joinedAt))
            }
        }
        for board in boards { try set(scores[board.key.type] ?? [], on: board, republishes: republishes) }
    }
}
