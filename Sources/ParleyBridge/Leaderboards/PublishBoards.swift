import ParleyProtocol
import ParleyRules
import ParleyStore

// A board that has changed is published in the same transaction, if no board of its group was within the last second;
// else when that second is over, once for all changes within it. Its row says which version was published last, so that
// nothing is lost where a process ends in between.

extension BoardDuty {
    /// The most groups whose boards are published in one transaction after they have waited.
    private static let publishedAtOnce = 64

    /// Publishes the boards that the batch has changed, and those that have waited long enough.
    func publish(_ batch: Batch) throws(StoreError) -> BoardClock.Done {
        var done = BoardClock.Done()
        var seen: Set<GroupKey> = []
        let changed = batch.afterCommit.wakes[BoardDuty.self]?.changed ?? []
        for group in changed + clock.due(steady: batch.steady, limit: BoardDuty.publishedAtOnce)
        where seen.insert(group).inserted {
            guard clock.mayPublish(group, steady: batch.steady) else {
                done.postponed.append(group)
                continue
            }
            try publish(boardsOf: group, batch)
            done.published.append(group)
        }
        return done
    }

    /// Publishes the boards of a group that have changed, where they are those of the week that runs.
    private func publish(boardsOf group: GroupKey, _ batch: Batch) throws(StoreError) {
        let facts = try batch.facts()
        guard let week = try facts.boardWeeks.week(of: group) else { return }
        for board in try facts.boards.unpublished(of: group) {
            var published = board
            published.publishedVersion = board.version
            try batch.writable().boards.update(board, to: published)
            guard board.period.contains(batch.now), board.key.week == week.period.week else { continue }
            let object = try facts.leaderboard(board, week, grace: batch.environment.settings.weekGrace, now: batch.now)
            let transaction = try batch.writable()
            try batch.effects.publish(object, transaction)
        }
    }
}
