import ParleyProtocol
import ParleyRules
import ParleyStore

extension GetLeaderboard: QueryHandler {
    func answer(in context: QueryContext) throws -> WrittenAnswer {
        let (snapshot, now) = (context.snapshot, context.now)
        guard let group = try snapshot.groups.group(group),
            try snapshot.boards.isMember(context.caller.user, of: group.key),
            let current = try snapshot.boardWeeks.week(of: group.key)
        else { throw Rejection.groupNotFound }
        guard let state = try snapshot.boards.board(BoardKey(group.key, week ?? current.period.week, type)) else {
            throw Rejection(.notFound, "There is no board of this week.")
        }
        return try snapshot.leaderboard(state, current, grace: context.reader.settings.weekGrace, now: now).write
    }
}

extension Snapshot {
    /// A board as an object.
    ///
    /// - Parameter current: the group's current week.
    func leaderboard(
        _ state: BoardState, _ current: BoardWeek, grace: Duration, now: Timestamp
    ) throws(StoreError) -> Leaderboard {
        let people = try boards.people(on: state.key)
        return Leaderboard(
            group: current.id, type: .known(state.key.type), week: state.key.week, startsAt: state.period.startsAt,
            endsAt: state.period.endsAt, closesAt: state.period.closesAt(grace: grace),
            nextResetAt: current.period.endsAt, version: state.version,
            isFinal: state.period.isFinal(at: now, grace: grace),
            entries: state.standings.lines.map { line in
                let person = people[line.user]
                return Leaderboard.Entry(
                    user: line.user, displayName: person?.displayName ?? line.user.text, photoURL: person?.photoURL,
                    value: line.score.value, rank: line.rank, previousRank: line.previousRank,
                    reachedAt: line.score.reachedAt)
            })
    }
}
