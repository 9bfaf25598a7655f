import ParleyProtocol
import ParleyRules
import ParleyStore

/// Writes what changes on the boards of groups. They are published later in the same transaction, or soon after it.
struct BoardUpdates {
    let batch: Batch

    private var grace: Duration { batch.environment.settings.weekGrace }

    // MARK: Workouts

    /// The workouts of a user, and perhaps one that need not be written yet.
    func trainee(_ user: UserID, with added: CountedWorkout? = nil) throws(StoreError) -> TraineeHistory {
        TraineeHistory(
            of: user, with: added, try batch.facts(), batch.environment.settings, now: batch.now)
    }

    /// The workouts of somebody have changed.
    ///
    /// - Parameters:
    ///   - time: the earliest that has.
    ///   - places: the groups in which they are.
    func update(
        _ trainee: TraineeHistory, since time: Timestamp, in places: [GroupMembership]
    ) throws(StoreError) {
        for place in places {
            let boards = try batch.facts().boards.boards(of: place.group, endingAfter: time)
            if boards.isEmpty { try batch.writable().boardWeeks.markAhead(place.group) }
            // Where the clock was ahead there are boards of weeks to come.
            try set(
                trainee, joinedAt: place.joinedAt, on: boards.filter { $0.period.startsAt <= max(batch.now, time) })
        }
    }

    /// Somebody is shown on the boards that are not final from now on, as they stand.
    private func show(_ user: UserID, in places: [GroupMembership]) throws(StoreError) {
        try update(trainee(user), since: openSince, in: places)
        // Something may be among it that was done after the week that runs.
        for place in places { try batch.writable().boardWeeks.markAhead(place.group) }
    }

    /// The end of a week that has not been closed is after this.
    private var openSince: Timestamp { batch.now.advanced(by: .zero - grace) }

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

    /// Tells those whom somebody has passed on the board of the week that runs.
    private func notify(_ passed: [UserID], by user: UserID, on board: BoardState) throws(StoreError) {
        guard !passed.isEmpty, board.period.contains(batch.now),
            let group = try batch.facts().boardWeeks.week(of: board.key.group)?.id
        else { return }
        let notification = NewNotification.rankChange(
            onBoard: board.key.type.rawValue, of: group, week: board.key.week.description, passedBy: user)
        for recipient in passed { batch.feed.notify(recipient, notification) }
    }

    /// Writes how a board stands now.
    ///
    /// - Parameter isLost: whether it is to be published again though nothing has changed.
    func replace(
        _ board: BoardState, _ standings: Standings, isChanged: Bool, isLost: Bool = false
    ) throws(StoreError) {
        var new = board
        new.standings = standings
        // The topic is that of the week that runs.
        let isCurrent = board.period.contains(batch.now)
        // Where clocks go back over midnight a streak is over twice, an hour apart.
        new.lapsesAt =
            isCurrent ? standings.lapsesAt.map { $0 > batch.now ? $0 : batch.now.advanced(by: .seconds(60)) } : nil
        if isChanged { new.version += 1 }
        if !isCurrent {
            new.publishedVersion = new.version
        } else if isLost {
            new.publishedVersion = min(new.publishedVersion, new.version - 1)
        }
        if new.isUnpublished { batch.afterCommit.wakeBoards { $0.markChanged(board.key.group) } }
        try batch.writable().boards.update(board, to: new)
        if let lapse = new.lapsesAt { batch.afterCommit.wakeBoards { $0.scheduleLapse(at: lapse) } }
    }

    // MARK: Who is shown

    /// Somebody shares nothing any more: no board shows them, not even one that is final.
    private func hide(_ user: UserID) throws(StoreError) {
        for group in try batch.facts().boards.groups(showing: user) {
            try remove(user, from: try batch.facts().boards.boards(of: group, showing: user))
        }
    }

    /// Somebody is no member any more: what is not final yet is without them.
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

    /// Somebody has become a member, and brings what they have done.
    func add(_ user: UserID, to group: GroupKey) throws(StoreError) {
        guard let (places, isShown) = try batch.facts().boards.memberships(of: user), isShown else { return }
        try show(user, in: places.filter { $0.group == group })
    }

    /// Whether somebody shares what they do has changed.
    func setShown(_ isShown: Bool, _ user: UserID) throws(StoreError) {
        if isShown { try show(user, in: places(of: user)) } else { try hide(user) }
    }

    private func places(of user: UserID) throws(StoreError) -> [GroupMembership] {
        try batch.facts().boards.memberships(of: user)?.memberships ?? []
    }

    /// What boards show of a person has changed.
    func renew(_ user: UserID) throws(StoreError) {
        for place in try places(of: user) {
            for board in try batch.facts().boards.boards(of: place.group, endingAfter: batch.now)
            where board.standings[user] != nil {
                try replace(board, board.standings, isChanged: true)
            }
        }
    }

    // MARK: Groups

    /// A group was made: its boards begin with the week that runs.
    func begin(_ group: GroupState) throws(StoreError) {
        let period = WeekPeriods.period(at: batch.now, in: group.timeZone)
        try begin(BoardWeek(group: group.key, id: group.id, timeZone: group.timeZone, period: period))
    }

    /// A group is ended, and with it all that was on its boards.
    func end(_ group: GroupKey) throws(StoreError) { try batch.writable().boards.removeAll(of: group) }

    /// Another week runs for a group: its boards show who has something in it already, be it a streak that goes on.
    ///
    /// - Parameter ended: the board of streaks of the week before, if nothing was done after that: then it says which
    ///   go on, and nobody's workouts are read.
    func begin(_ week: BoardWeek, after ended: BoardState? = nil) throws(StoreError) {
        try batch.writable().boardWeeks.put(week)
        batch.afterCommit.wakeBoards { $0.scheduleTurn(at: week.period.endsAt) }
        var ended = ended?.period.endsAt == week.period.startsAt ? ended : nil
        let removal = batch.steady.advanced(by: batch.now.duration(to: week.period.endsAt) + BoardUpdates.keeping)
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
                batch.afterCommit.wakeBoards { $0.scheduleRemoval(at: removal) }
            }
        }
        if let ended {
            for board in boards { try putStreaks(of: ended, on: board) }
        } else {
            let members = try batch.facts().boards.members(of: week.group).filter(\.sharesWorkouts)
            try bringUpToDate(boards, members, areLost: true)
        }
    }

    /// Puts the streaks that go on onto a board of a week in which nothing was done yet.
    private func putStreaks(of ended: BoardState, on board: BoardState) throws(StoreError) {
        var standings = board.standings
        var scores: [(user: UserID, score: BoardScore?, joinedAt: Timestamp)] = []
        for line in ended.standings.lines where board.key.type == .streak {
            let goesOn = line.score.lapsesAt.map { $0 > batch.now } ?? false
            let score = goesOn ? line.score : try trainee(line.user).score(.streak, in: board.period)
            scores.append((line.user, score, line.joinedAt))
        }
        let isChanged = standings.set(scores)
        try replace(board, standings, isChanged: isChanged, isLost: true)
    }

    /// How long boards are kept after their week.
    static let keeping = Duration.days(90)

    /// Counts anew for everybody, whatever was on the boards before.
    ///
    /// - Parameters:
    ///   - boards: of one week.
    ///   - areLost: whether they are to be published again though nothing has changed.
    func bringUpToDate(_ boards: [BoardState], _ members: [BoardMember], areLost: Bool) throws(StoreError) {
        guard let period = boards.first?.period else { return }
        var scores: [LeaderboardType: [(user: UserID, score: BoardScore?, joinedAt: Timestamp)]] = [:]
        for member in members {
            let trainee = try trainee(member.user)
            for type in LeaderboardType.allCases {
                let score = try trainee.score(type, in: period)
                scores[type, default: []].append((member.user, score, member.joinedAt))
            }
        }
        for board in boards {
            var standings = board.standings
            let isChanged = standings.set(scores[board.key.type] ?? [])
            try replace(board, standings, isChanged: isChanged, isLost: areLost)
        }
    }
}
