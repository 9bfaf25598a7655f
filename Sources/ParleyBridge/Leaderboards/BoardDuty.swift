import Logging
import ParleyProtocol
import ParleyRules
import ParleyStore

/// What becomes of boards by time alone: weeks end and others begin, streaks are over, boards are removed, and
/// published.
///
/// Whether a week is over is asked of the time of day, and what that has decided is undone where it is set back: boards
/// are kept, the week that runs is its own again, and streaks are counted anew.
final class BoardDuty: Duty {
    static let failure: Logger.Message = "boards could not be brought up to date"
    static let publishes = true
    var clock = BoardClock()

    /// The most groups in one transaction, which holds up the batch behind it.
    private static let boardsAtOnce = 16
    /// The most groups whose weeks end in one transaction: each has two boards and an event, and messages wait for all
    /// of it.
    private static let turnsAtOnce = 8

    func wait(at moment: Moment) -> Duration? { clock.wait(now: moment.now, steady: moment.steady) }

    func observe(_ moment: Moment) { clock.handle(clockOffset: moment.clockOffset) }

    func run(in batch: Batch) throws(StoreError) -> BoardClock.Done {
        let (walk, count) = try walkBoards(batch)
        var left = BoardDuty.boardsAtOnce - count
        let turned = try turnWeeks(batch, limit: min(left, BoardDuty.turnsAtOnce))
        left -= turned.count
        left -= try endStreaks(batch, limit: left)
        if clock.isRemovalDue(steady: batch.steady) {
            left -= try batch.writable().boards.removeExpired(at: batch.steady, limit: BoardDuty.boardsAtOnce)
        }
        let unpublished = clock.isNew ? try batch.facts().boardWeeks.unpublished() : []
        var done = try publish(batch)
        // Boards first: who looks at them sees the new week at once.
        done.notified = turned.count == 0 ? try notifyEnds(batch) : 0
        done.rest = try rest(walk, unpublished, areTurned: turned.isComplete, batch)
        return done
    }

    /// Boards that the requests have changed are published with them.
    func run(afterRequestsOf batch: Batch) throws(StoreError) -> BoardClock.Done? {
        let done = try publish(batch)
        return done.published.isEmpty && done.postponed.isEmpty ? nil : done
    }

    func recordCommitted(_ done: BoardClock.Done, at moment: Moment) {
        clock.recordCommitted(done, steady: moment.steady)
    }

    func recordFailure(at moment: Moment) { clock.recordFailure(steady: moment.steady) }

    func wake(_ schedule: BoardSchedule) { clock.merge(schedule) }

    private func rest(
        _ walk: BoardClock.Walk?, _ unpublished: [GroupKey], areTurned: Bool, _ batch: Batch
    ) throws(StoreError) -> BoardClock.Done.Rest {
        let weeks = try batch.facts().boardWeeks
        var stored = try weeks.clockOffset()
        if walk?.clockOffset == nil, stored.map({ abs(batch.clockOffset - $0) > BoardClock.negligibleStep }) ?? true {
            stored = batch.clockOffset
            try batch.writable().boardWeeks.setClockOffset(batch.clockOffset)
        }
        return BoardClock.Done.Rest(
            walk: walk, clockOffset: stored ?? batch.clockOffset, nextTurn: areTurned ? try weeks.nextEnd() : .earliest,
            nextLapse: try weeks.nextLapse(), nextRemoval: try weeks.nextRemoval(), unpublished: unpublished,
            hasEndedWeeks: try !weeks.ended(limit: 1).isEmpty)
    }

    // MARK: All boards

    /// Brings boards of some groups up to a time that was set back, and publishes them to a broker that has none.
    ///
    /// - Returns: what is left to do, and for how many groups it was done.
    private func walkBoards(_ batch: Batch) throws(StoreError) -> (BoardClock.Walk?, Int) {
        guard var walk = try clock.isNew ? startOfWalk(batch) : clock.walk else { return (nil, 0) }
        let weeks = try batch.facts().boardWeeks
        if walk.after == nil, walk.clockOffset == nil, try batch.facts().outbox.broker(of: .boards) == walk.broker {
            return (nil, 0)
        }
        let groups = try weeks.weeks(after: walk.after, limit: BoardDuty.boardsAtOnce)
        for week in groups { try visit(week, walk, batch) }
        walk.after = groups.last?.group ?? walk.after
        guard groups.count < BoardDuty.boardsAtOnce else { return (walk, groups.count) }
        if let broker = walk.broker { try batch.writable().outbox.setBroker(broker, of: .boards) }
        return (nil, groups.count)
    }

    /// When a process starts: whether the clock was set back since the last.
    private func startOfWalk(_ batch: Batch) throws(StoreError) -> BoardClock.Walk? {
        guard let stored = try batch.facts().boardWeeks.clockOffset(),
            batch.clockOffset < stored - BoardClock.negligibleStep
        else { return clock.walk }
        return BoardClock.Walk(broker: clock.walk?.broker, clockOffset: batch.clockOffset)
    }

    private func visit(_ week: BoardWeek, _ walk: BoardClock.Walk, _ batch: Batch) throws(StoreError) {
        // Another week runs now: that is for `turnWeeks`, which is due.
        guard week.period.contains(batch.now) else { return }
        let updates = BoardUpdates(batch: batch)
        let current = try batch.facts().boards.boards(of: week.group, endingAfter: batch.now)
            .filter { $0.key.week == week.period.week }
        if walk.clockOffset == nil {
            for board in current { try updates.replace(board, board.standings, isChanged: false, isLost: true) }
        } else {
            let members = try batch.facts().boards.members(of: week.group).filter(\.sharesWorkouts)
            try updates.bringUpToDate(current, members, areLost: walk.broker != nil)
        }
    }

    // MARK: Weeks

    /// Ends the weeks that are over, one after the other, and begins those that follow.
    ///
    /// - Returns: of how many groups, and whether of all for which it is due.
    private func turnWeeks(_ batch: Batch, limit: Int) throws(StoreError) -> (count: Int, isComplete: Bool) {
        guard clock.isTurnDue(now: batch.now) else { return (0, true) }
        guard limit > 0 else { return (0, false) }
        let due = try batch.facts().boardWeeks.due(at: batch.now, limit: limit)
        for week in due { try turn(week, batch) }
        // The week that follows may be over as well.
        return (due.count, due.isEmpty)
    }

    private func turn(_ week: BoardWeek, _ batch: Batch) throws(StoreError) {
        let updates = BoardUpdates(batch: batch)
        var (next, ended): (BoardWeek, BoardState?) = (week, nil)
        if batch.now < week.period.startsAt {
            // The clock was set back: the week that seemed over goes on.
            next.period = WeekPeriods.period(at: batch.now, in: week.timeZone)
        } else {
            try publishEnd(of: week, batch)
            let boards = try batch.facts().boards.boards(of: week.group, endingAfter: week.period.startsAt)
                .filter { $0.key.week == week.period.week }
            let isUnchanged = try end(boards, of: week, batch)
            if isUnchanged, !week.isAhead { ended = boards.first { $0.key.type == .streak } }
            next.period = self.period(after: week, batch)
        }
        try updates.begin(next, after: ended)
    }

    /// Boards of a week that is over stand as at its last instant: a streak that was over by then, while there was no
    /// gateway or another transaction came first, is not on them.
    ///
    /// - Returns: whether they stood so before.
    private func end(_ boards: [BoardState], of week: BoardWeek, _ batch: Batch) throws(StoreError) -> Bool {
        let updates = BoardUpdates(batch: batch)
        let hasLapsed = boards.contains { $0.lapsesAt.map { $0 < week.period.endsAt } ?? false }
        if hasLapsed {
            let members = try batch.facts().boards.members(of: week.group).filter(\.sharesWorkouts)
            try updates.bringUpToDate(boards, members, areLost: false)
        } else {
            for board in boards { try updates.replace(board, board.standings, isChanged: false) }
        }
        return !hasLapsed
    }

    /// The next week, even if it is over as well; but none whose boards would be removed at once.
    private func period(after week: BoardWeek, _ batch: Batch) -> WeekPeriod {
        let next = WeekPeriods.period(week.period.week.next, in: week.timeZone)
        let oldest = batch.now.advanced(by: .zero - BoardUpdates.keeping)
        return next.endsAt > oldest ? next : WeekPeriods.period(at: oldest, in: week.timeZone)
    }

    private func publishEnd(of week: BoardWeek, _ batch: Batch) throws(StoreError) {
        try batch.publish(
            WeekEnd(
                group: week.id, week: week.period.week, startsAt: week.period.startsAt, endsAt: week.period.endsAt,
                closesAt: week.period.closesAt(grace: batch.environment.settings.weekGrace)))
        try batch.writable().boardWeeks.putEnded(week)
    }

    // MARK: Streaks

    /// Takes streaks that are over from the boards.
    ///
    /// - Returns: of how many groups.
    private func endStreaks(_ batch: Batch, limit: Int) throws(StoreError) -> Int {
        guard limit > 0, clock.isLapseDue(now: batch.now) else { return 0 }
        let updates = BoardUpdates(batch: batch)
        let groups = try batch.facts().boardWeeks.lapsed(at: batch.now, limit: limit)
        for group in groups {
            for board in try batch.facts().boards.boards(of: group, lapsedBy: batch.now) {
                var standings = board.standings
                var scores: [(user: UserID, score: BoardScore?, joinedAt: Timestamp)] = []
                for line in standings.lines where line.score.lapsesAt.map({ $0 <= batch.now }) ?? false {
                    let score = try updates.trainee(line.user).score(.streak, in: board.period)
                    scores.append((line.user, score, line.joinedAt))
                }
                let isChanged = standings.set(scores)
                try updates.replace(board, standings, isChanged: isChanged)
            }
        }
        return groups.count
    }
}
