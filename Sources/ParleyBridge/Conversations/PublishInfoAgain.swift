import Logging
import ParleyProtocol
import ParleyStore

// What the broker retains on `info` of groups follows from the database. A broker that was killed has forgotten some of
// it: it is published again to each new run of it. A new display name is published in `info` of all the user's groups:
// the change is stored with a mark, and published some seconds later, a user's at most once in that time. Both are done in
// parts, a transaction each, between the batches.
//
// Of direct conversations nothing is published again: what is retained of one is as both saw it when it was made, and the
// time of another event could disclose what one has done to the other (protocol §4, `blocked`).

extension Writer {
    /// The most groups in one transaction, which holds up the batch behind it.
    static let infosAtOnce = 256

    /// Publishes `info` of some of the groups of which it is due.
    func publishInfos(now: Timestamp) -> Effects {
        let steady = steady(now)
        guard infos.isDue(now: steady) else { return Effects() }
        do throws(StoreError) {
            let (published, effects) = try write(now: now) { batch throws(StoreError) in
                var published = InfoClock.Published()
                published.walk = try publishMore(infos.walk, batch, &published.count)
                published.count += try publishNames(batch)
                published.nextName = try batch.facts().nameChanges.next()
                return published
            }
            counters.batches.add(1)
            report.end("the database can be written again")
            infos.recordCommitted(published, now: steady)
            return effects
        } catch {
            counters.failedBatches.add(1)
            report.add("what is retained of conversations could not be published again", error)
            infos.recordFailure(now: steady)
            return Effects()
        }
    }

    /// How long until there is something to publish; `nil` while there is not.
    func infoWait(now: Timestamp) -> Duration? { infos.wait(now: steady(now)) }

    /// - Returns: what is left to publish to the broker; `nil` when it has got everything.
    private func publishMore(
        _ walk: InfoClock.Walk?, _ batch: Batch, _ count: inout Int
    ) throws(StoreError) -> InfoClock.Walk? {
        guard var walk else { return nil }
        if walk.after == nil, try batch.facts().info.broker() == walk.broker { return nil }
        let groups = try batch.facts().info.groups(after: walk.after, limit: Writer.infosAtOnce)
        let transaction = try batch.writable()
        try batch.effects.publishInfo(of: groups, transaction)
        count += groups.count
        guard groups.count == Writer.infosAtOnce else {
            try transaction.info.setBroker(walk.broker)
            return nil
        }
        walk.after = groups.last
        return walk
    }

    /// - Returns: how many groups were published, and users looked at.
    private func publishNames(_ batch: Batch) throws(StoreError) -> Int {
        var count = 0
        while count < Writer.infosAtOnce, let change = try batch.facts().nameChanges.due(at: batch.steady) {
            count += try publish(change, batch, limit: Writer.infosAtOnce - count) + 1
        }
        return count
    }

    /// - Returns: how many groups were published.
    private func publish(_ change: NameChange, _ batch: Batch, limit: Int) throws(StoreError) -> Int {
        var rest = change
        let groups = try batch.facts().info.groups(of: change.user, after: change.publishedThrough, limit: limit)
        let transaction = try batch.writable()
        try batch.effects.publishInfo(of: groups, transaction)
        if let last = groups.last, groups.count == limit {
            rest.publishedThrough = last
            // After those who have begun to wait meanwhile.
            try transaction.nameChanges.update(
                rest, dueAt: batch.steady.advanced(by: Pace.pause(after: groups.count)))
        } else if change.isStale {
            (rest.publishedThrough, rest.isStale) = (nil, false)
            try transaction.nameChanges.update(
                rest, dueAt: batch.steady.advanced(by: InfoClock.nameDelay))
        } else {
            try transaction.nameChanges.remove(of: change.user)
        }
        return groups.count
    }
}
