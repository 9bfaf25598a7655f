import Logging
import ParleyProtocol
import ParleyRules
import ParleyStore

/// Publishes `info` of groups again: to each run of the broker, and when a member has another display name.
///
/// What the broker retains follows from the database. A broker that was killed has forgotten some of it. A new display
/// name is stored with a mark, and published some seconds later, a user's at most once in that time.
///
/// Of direct conversations nothing is published again: what is retained of one is as both saw it when it was made, and
/// the time of another event could disclose what one has done to the other (protocol §4, `blocked`).
final class InfoDuty: ScheduledDuty {
    static let failure: Logger.Message = "what is retained of conversations could not be published again"
    static let publishes = true
    var schedule = DutySchedule()

    /// The run of the broker that has reported last.
    private var broker: UInt64?
    /// A run of the broker that may have forgotten what it retained; `nil` when everything is published to it.
    private var rest: Rest?

    /// The most groups in one transaction, which holds up the batch behind it.
    static let atOnce = 256
    /// From when a display name was changed until that is published: all changes within it are published at once.
    static let nameDelay = Duration.seconds(3)

    /// A run of the broker to which `info` of all groups is being published. The process that follows this one begins
    /// again.
    struct Rest {
        let broker: UInt64
        /// The last group whose `info` is published to it; `nil` before the first.
        var after: ConversationKey?
    }

    struct Done {
        let next: NextPart
        /// What is left to publish to the broker.
        let rest: Rest?
    }

    /// The broker's plugin reports who is connected, and with that which run of the broker this is.
    func handle(_ reports: [PresenceReport]) {
        for case .begin(let broker, _) in reports where broker != self.broker {
            self.broker = broker
            rest = Rest(broker: broker, after: nil)
            schedule.wake(at: .earliest)
        }
    }

    func run(in batch: Batch) throws(StoreError) -> Done {
        var count = 0
        let rest = try publishMore(rest, batch, &count)
        count += try publishNames(batch)
        let dueAt = try rest == nil ? batch.facts().nameChanges.next() : batch.steady
        return Done(next: NextPart(dueAt: dueAt, pause: Pace.pause(after: count)), rest: rest)
    }

    func recordCommitted(_ done: Done, at moment: Moment) {
        rest = done.rest
        schedule.recordCommitted(done.next, at: moment.steady)
    }

    /// - Returns: what is left to publish to the broker; `nil` when it has got everything.
    private func publishMore(
        _ rest: Rest?, _ batch: Batch, _ count: inout Int
    ) throws(StoreError) -> Rest? {
        guard var rest else { return nil }
        if rest.after == nil, try batch.facts().outbox.broker(of: .info) == rest.broker { return nil }
        let groups = try batch.facts().info.groupConversations(after: rest.after, limit: Self.atOnce)
        let transaction = try batch.writable()
        try batch.effects.publishInfo(of: groups, transaction)
        count += groups.count
        guard groups.count == Self.atOnce else {
            try transaction.outbox.setBroker(rest.broker, of: .info)
            return nil
        }
        rest.after = groups.last
        return rest
    }

    /// - Returns: how many groups were published, and users looked at.
    private func publishNames(_ batch: Batch) throws(StoreError) -> Int {
        var count = 0
        while count < Self.atOnce, let change = try batch.facts().nameChanges.due(at: batch.steady) {
            count += try publish(change, batch, limit: Self.atOnce - count) + 1
        }
        return count
    }

    /// - Returns: how many groups were published.
    private func publish(_ change: NameChange, _ batch: Batch, limit: Int) throws(StoreError) -> Int {
        var rest = change
        let groups = try batch.facts().info.groupConversations(
            of: change.user, after: change.publishedThrough, limit: limit)
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
                rest, dueAt: batch.steady.advanced(by: Self.nameDelay))
        } else {
            try transaction.nameChanges.remove(of: change.user)
        }
        return groups.count
    }
}
