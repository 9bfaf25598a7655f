import Logging
import ParleyProtocol
import ParleyRules
import ParleyStore

/// Keeps boards up to the time: rolls weeks over, ends streaks, removes boards, and publishes.
///
/// Weeks end by the time of day, and where that is set back their end is undone: boards are kept, the week that runs is
/// its own again, and streaks are counted anew.
final class BoardDuty: Duty {
    static let failure: Logger.Message = "boards could not be brought up to date"
    static let sharedWork: SharedWork? = .boards
    static let publishes = true
    var clock = BoardClock()
    /// Whether other gateways publish boards to brokers of their own.
    private let isOneOfCells: Bool

    /// The most groups in one transaction, which holds up the batch behind it.
    private static let boardsAtOnce = 16
    /// The most groups whose weeks end in one transaction: each has two boards and an event, and messages wait for all
    /// of it.
    private static let rolloversAtOnce = 8

    init(isOneOfCells: Bool = false) { self.isOneOfCells = isOneOfCells }

    func wait(at moment: Moment) -> Duration? { clock.wait(now: moment.now, steady: moment.steady) }

    func observe(_ moment: Moment) { clock.handle(clockOffset: moment.clockOffset) }

    func run(in batch: Batch) throws(StoreError) -> BoardClock.Done {
        let (sweep, count) = try sweepBoards(batch)
        var left = BoardDuty.boardsAtOnce - count
        let rollover = try rollOverWeeks(batch, limit: min(left, BoardDuty.rolloversAtOnce))
        left -= rollover.count
        left -= try endStreaks(batch, limit: left)
        if clock.isRemovalDue(steady: batch.steady) {
            left -= try batch.writable().boards.removeExpired(at: batch.steady, limit: BoardDuty.boardsAtOnce)
        }
        let unpublished = clock.looksForUnpublished ? try batch.facts().boardWeeks.unpublished() : []
        var done = try publish(batch)
        // Boards first: whoever looks at them sees the new week at once.
        done.notified = rollover.count == 0 ? try notifyEnds(batch) : 0
        done.rest = try rest(sweep, unpublished, isRolledOver: rollover.isComplete, batch)
        return done
    }

    /// Publishes the boards that the requests have changed with them.
    func run(afterRequestsOf batch: Batch) throws(StoreError) -> BoardClock.Done? {
        let done = try publish(batch)
        return done.published.isEmpty && done.postponed.isEmpty ? nil : done
    }

    func recordCommitted(_ done: BoardClock.Done, at moment: Moment) {
        clock.recordCommitted(done, steady: moment.steady)
    }

    func recordFailure(at moment: Moment) { clock.recordFailure(steady: moment.steady) }

    func wake(_ schedule: BoardSchedule) { clock.merge(schedule) }

    func lookAgain() { clock.lookAgain() }

    private func rest(
        _ sweep: BoardClock.Sweep?, _ unpublished: [GroupKey], isRolledOver: Bool, _ batch: Batch
    ) throws(StoreError) -> BoardClock.Done.Rest {
        let weeks = try batch.facts().boardWeeks
        var stored = try weeks.clockOffset()
        if sweep?.clockOffset == nil, stored.map({ abs(batch.clockOffset - $0) > BoardClock.negligibleStep }) ?? true {
            stored = batch.clockOffset
            try batch.writable().boardWeeks.setClockOffset(batch.clockOffset)
        }
        let next = BoardTimes(
            weekEnd: isRolledOver ? try weeks.nextEnd() : .earliest, streakEnd: try weeks.nextLapse(),
            removal: try weeks.nextRemoval())
        return BoardClock.Done.Rest(
            sweep: sweep, clockOffset: stored ?? batch.clockOffset, next: next, unpublished: unpublished,
            hasEndedWeeks: try !weeks.ended(limit: 1).isEmpty)
    }

    // MARK: All boards

    /// Counts boards of some groups anew for a clock that was set back, and publishes them to a broker that has
    /// forgotten them.
    ///
    /// - Returns: the rest of the sweep, and the number of groups that are done.
    private func sweepBoards(_ batch: Batch) throws(StoreError) -> (BoardClock.Sweep?, Int) {
        guard var sweep = try clock.isNew ? firstSweep(batch) : clock.sweep else { return (nil, 0) }
        let weeks = try batch.facts().boardWeeks
        if sweep.after == nil, sweep.clockOffset == nil, !clock.isBehind,
            try batch.facts().outbox.broker(of: .boards) == sweep.broker
        {
            return (nil, 0)
        }
        let groups = try weeks.weeks(after: sweep.after, limit: BoardDuty.boardsAtOnce)
        for week in groups { try visit(week, sweep, batch) }
        sweep.after = groups.last?.group ?? sweep.after
        guard groups.count < BoardDuty.boardsAtOnce else { return (sweep, groups.count) }
        if let broker = sweep.broker { try batch.writable().outbox.setBroker(broker, of: .boards) }
        return (nil, groups.count)
    }

    /// The sweep after a start: the clock may have been set back since the last process.
    private func firstSweep(_ batch: Batch) throws(StoreError) -> BoardClock.Sweep? {
        guard let stored = try batch.facts().boardWeeks.clockOffset(),
            batch.clockOffset < stored - BoardClock.negligibleStep
        else { return clock.sweep }
        return BoardClock.Sweep(broker: clock.sweep?.broker, clockOffset: batch.clockOffset)
    }

    private func visit(_ week: BoardWeek, _ sweep: BoardClock.Sweep, _ batch: Batch) throws(StoreError) {
        // Else the week is over, and its rollover is due.
        guard week.period.contains(batch.now) else { return }
        let updates = BoardUpdates(batch: batch)
        let current = try batch.facts().boards.boards(of: week.group, endingAfter: batch.now)
            .filter { $0.key.week == week.period.week }
        if sweep.clockOffset == nil, isOneOfCells {
            for board in current { batch.effects.publishHere(try leaderboard(board, week, batch)) }
        } else if sweep.clockOffset == nil {
            for board in current { try updates.replace(board, board.standings, isChanged: false, republishes: true) }
        } else {
            try updates.recount(current, of: week.group, republishes: sweep.broker != nil)
        }
    }

    private func leaderboard(_ board: BoardState, _ week: BoardWeek, _ batch: Batch) throws(StoreError) -> Leaderboard {
        try batch.facts().leaderboard(board, week, grace: batch.environment.settings.weekGrace, now: batch.now)
    }

    // MARK: Weeks

    /// Ends the weeks that are over, one after the other, and begins those that follow.
    ///
    /// - Returns: the number of groups, and whether none is left.
    private func rollOverWeeks(_ batch: Batch, limit: Int) throws(StoreError) -> (count: Int, isComplete: Bool) {
        guard clock.isRolloverDue(now: batch.now) else { return (0, true) }
        guard limit > 0 else { return (0, false) }
        let due = try batch.facts().boardWeeks.due(at: batch.now, limit: limit)
        for week in due { try rollOver(week, batch) }
        // The week that follows may be over as well.
        return (due.count, due.isEmpty)
    }

    private func rollOver(_ week: BoardWeek, _ batch: Batch) throws(StoreError) {
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

    /// Brings boards to the last instant of their week: a streak that had ended by then is not on them, even if this
    /// runs late.
    ///
    /// - Returns: whether they were so before.
    private func end(_ boards: [BoardState], of week: BoardWeek, _ batch: Batch) throws(StoreError) -> Bool {
        let updates = BoardUpdates(batch: batch)
        let hasEndedStreak = boards.contains { $0.lapsesAt.map { $0 < week.period.endsAt } ?? false }
        if hasEndedStreak {
            try updates.recount(boards, of: week.group, republishes: false)
        } else {
            for board in boards { try updates.replace(board, board.standings, isChanged: false) }
        }
        return !hasEndedStreak
    }

    /// The next week, even if it is over as well; but none whose boards would be removed at once.
    private func period(after week: BoardWeek, _ batch: Batch) -> WeekPeriod {
        let next = WeekPeriods.period(week.period.week.next, in: week.timeZone)
        let oldest = batch.now.advanced(by: .zero - BoardUpdates.lifetime)
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

    /// Removes ended streaks from the boards.
    ///
    /// - Returns: the number of groups.
    private func endStreaks(_ batch: Batch, limit: Int) throws(StoreError) -> Int {
        guard limit > 0, clock.isStreakEndDue(now: batch.now) else { return 0 }
        let updates = BoardUpdates(batch: batch)
        let groups = try batch.facts().boardWeeks.lapsed(at: batch.now, limit: limit)
        for group in groups {
            for board in try batch.facts().boards.boards(of: group, lapsedBy: batch.now) {
                var scores: [MemberScore] = []
                for line in board.standings.lines where line.score.lapsesAt.map({ $0 <= batch.now }) ?? false {
                    let score = try updates.trainee(line.user).score(.streak, in: board.period)
                    scores.append((line.user, score, line.joinedAt))
                }
                try updates.set(scores, on: board)
            }
        }
        return groups.count
    }
}
