import Logging
import ParleyProtocol
import ParleyRules
import ParleyStore

/// Publishes `info` of groups again: to each run of the broker, and when a member has another display name.
///
/// Retained messages follow from the database. A broker that was killed has forgotten some of them. A new display name
/// is stored with a mark, and published some seconds later, a user's at most once in that time.
///
/// Direct conversations are not published again: the retained message is as both saw it at the beginning, and the time
/// of another event could disclose a block (protocol §4, `blocked`).
final class InfoDuty: ScheduledDuty {
    static let failure: Logger.Message = "what is retained of conversations could not be published again"
    static let sharedWork: SharedWork? = .info
    static let publishes = true
    var schedule = DutySchedule()

    /// Whether other gateways publish `info` to brokers of their own.
    private let isOneOfCells: Bool
    /// The run of the broker that has reported last.
    private var broker: UInt64?
    /// A run of the broker that may have forgotten its retained messages; `nil` when all are published to it.
    private var rest: Rest?
    /// Whether a broker that had all may lack what other cells have published since.
    private var isBehind = false

    /// The most groups in one transaction, which holds up the batch behind it.
    static let atOnce = 256
    /// Between a change of a display name and its publication: all changes within it are published at once.
    static let nameDelay = Duration.seconds(3)

    /// A run of the broker to which `info` of all groups is being published. After a restart it begins again.
    struct Rest {
        let broker: UInt64
        /// The last group whose `info` is published to it; `nil` before the first.
        var after: ConversationKey?
    }

    struct Done {
        let next: NextPart
        let rest: Rest?
    }

    init(isOneOfCells: Bool = false) { self.isOneOfCells = isOneOfCells }

    /// The broker's plugin has reported who is connected, and with that the run of the broker.
    func handle(_ reports: [PresenceReport]) {
        for case .begin(let broker, _) in reports where broker != self.broker {
            self.broker = broker
            begin()
        }
    }

    /// Other cells have gone on without this one, and what they have published was not read here.
    func recordReturn() {
        isBehind = true
        begin()
    }

    private func begin() {
        rest = broker.map { Rest(broker: $0, after: nil) }
        schedule.wake(at: .earliest)
    }

    func run(in batch: Batch) throws(StoreError) -> Done {
        var count = 0
        let rest = try publishMore(rest, batch, &count)
        count += try publishNames(batch)
        let dueAt = try rest == nil ? batch.facts().nameChanges.next() : batch.steady
        return Done(next: NextPart(dueAt: dueAt, pause: Pace.pause(after: count)), rest: rest)
    }

    func recordCommitted(_ done: Done, at moment: Moment) {
        if rest != nil, done.rest == nil { isBehind = false }
        rest = done.rest
        schedule.recordCommitted(done.next, at: moment.steady)
    }

    /// - Returns: the rest; `nil` when all is published.
    private func publishMore(
        _ rest: Rest?, _ batch: Batch, _ count: inout Int
    ) throws(StoreError) -> Rest? {
        guard var rest else { return nil }
        if rest.after == nil, !isBehind, try batch.facts().outbox.broker(of: .info) == rest.broker { return nil }
        let groups = try batch.facts().info.groupConversations(after: rest.after, limit: Self.atOnce)
        let transaction = try batch.writable()
        if isOneOfCells {
            try batch.effects.publishInfoHere(of: groups, transaction.facts)
        } else {
            try batch.effects.publishInfo(of: groups, transaction)
        }
        count += groups.count
        guard groups.count == Self.atOnce else {
            try transaction.outbox.setBroker(rest.broker, of: .info)
            return nil
        }
        rest.after = groups.last
        return rest
    }

    /// - Returns: the number of published groups and of users.
    private func publishNames(_ batch: Batch) throws(StoreError) -> Int {
        var count = 0
        while count < Self.atOnce, let change = try batch.facts().nameChanges.due(at: batch.steady) {
            count += try publish(change, batch, limit: Self.atOnce - count) + 1
        }
        return count
    }

    /// - Returns: the number of published groups.
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
