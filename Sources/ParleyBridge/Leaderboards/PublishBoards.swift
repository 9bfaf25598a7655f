import ParleyProtocol
import ParleyRules
import ParleyStore

// A changed board is published in the same transaction, if no board of its group was published within the last second;
// else at the end of that second, once for all changes within it. Its row has the version that was published last, so
// that a restart in between loses no change.

extension BoardDuty {
    /// The most groups whose boards are published in one transaction after their pause.
    private static let publishedAtOnce = 64

    /// Publishes the boards that the batch has changed, and those whose pause has passed.
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

    /// Publishes the changed boards of a group, of the current week alone.
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
