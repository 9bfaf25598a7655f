import ParleyProtocol
import ParleyStore

/// When boards are next due, and which of them were published within the last second.
///
/// A value. Weeks and streaks end by the time of day; publications and removals go by the steady time.
struct BoardClock {
    /// No later than the first of each. At first, an earlier process may have left work of any kind.
    private var next = BoardClock.everything
    /// When members of some groups may be notified that their week has ended, if there are any.
    private var nextNotification: Timestamp? = .earliest
    /// Groups with boards to publish, and from when on that is allowed.
    private var waiting: [GroupKey: Timestamp] = [:]
    /// When boards of a group were last published, if that is less than a second ago; and the same in order.
    private var published: [GroupKey: Timestamp] = [:]
    private var publishedInOrder: [(group: GroupKey, at: Timestamp)] = []
    /// The run of the broker that has reported last.
    private var broker: UInt64?
    /// The sweep over all boards that is under way.
    private(set) var sweep: Sweep?
    /// Whether a broker that had all boards may lack what other cells have published since.
    private(set) var isBehind = false
    /// The clock's offset to which all boards were last brought, as it is stored; `nil` until that is read.
    private var clockOffset: Int64?
    /// Whether other gateways may have left boards to be published.
    private var looksAgain = false
    private var pace = Pace()

    private static let everything = BoardTimes(weekEnd: .earliest, streakEnd: .earliest, removal: .earliest)

    /// Work on the boards of all groups, one after the other. After a restart it begins again.
    struct Sweep {
        /// A run of the broker that may have forgotten its retained messages.
        var broker: UInt64?
        /// The clock's offset after it was set back.
        var clockOffset: Int64?
        /// The last group that is done; `nil` before the first.
        var after: GroupKey?
    }

    /// The work on boards of one transaction.
    struct Done {
        /// Groups whose boards were published.
        var published: [GroupKey] = []
        /// Groups whose boards are to be published, but not yet.
        var postponed: [GroupKey] = []
        /// How many members of groups were notified that their week has ended.
        var notified = 0
        /// What is left of the work between the batches, if that was done.
        var rest: Rest?

        struct Rest {
            var sweep: Sweep?
            var clockOffset: Int64
            var next: BoardTimes
            /// Groups that an earlier process has left to be published.
            var unpublished: [GroupKey]
            /// Whether there are members to be notified that their week has ended.
            var hasEndedWeeks: Bool
        }
    }

    /// Between two publications of a group.
    static let pause = Duration.seconds(1)
    /// How long boards wait for a batch after their pause, before they get a transaction of their own: else, where many
    /// groups wait, one would follow each batch.
    static let patience = Duration.milliseconds(25)
    /// A smaller step back of the clock, in milliseconds, revives no streak.
    static let negligibleStep: Int64 = 60_000

    // MARK: What is due

    /// The broker's plugin has reported who is connected, and with that the run of the broker.
    mutating func handle(_ reports: [PresenceReport]) {
        for case .begin(let broker, _) in reports where broker != self.broker {
            self.broker = broker
            sweep = Sweep(broker: broker, clockOffset: sweep?.clockOffset)
        }
    }

    /// Other cells have gone on without this one, and what they have published was not read here.
    mutating func recordReturn() {
        isBehind = true
        guard let broker else { return }
        sweep = Sweep(broker: broker, clockOffset: sweep?.clockOffset)
    }

    /// The clock was read. Where it was set back, streaks that seemed to have ended go on.
    mutating func handle(clockOffset: Int64) {
        guard let stored = self.clockOffset, abs(clockOffset - stored) > BoardClock.negligibleStep else { return }
        next.weekEnd = .earliest
        guard clockOffset < stored,
            sweep?.clockOffset.map({ abs($0 - clockOffset) > BoardClock.negligibleStep }) ?? true
        else { return }
        sweep = Sweep(broker: sweep?.broker, clockOffset: clockOffset)
    }

    /// A transaction was committed from which this follows.
    mutating func merge(_ schedule: BoardSchedule) { next.merge(schedule.next) }

    /// Other gateways may have left work of any kind.
    mutating func lookAgain() {
        next = BoardClock.everything
        nextNotification = .earliest
        looksAgain = true
    }

    /// Whether boards that were left to be published are not read yet.
    var looksForUnpublished: Bool { isNew || looksAgain }

    /// Whether the work that an earlier process left is not read yet.
    var isNew: Bool { clockOffset == nil }

    func isRolloverDue(now: Timestamp) -> Bool { next.weekEnd.map { $0 <= now } ?? false }
    func isStreakEndDue(now: Timestamp) -> Bool { next.streakEnd.map { $0 <= now } ?? false }
    func isRemovalDue(steady: Timestamp) -> Bool { next.removal.map { $0 <= steady } ?? false }
    func isNotificationDue(steady: Timestamp) -> Bool { nextNotification.map { $0 <= steady } ?? false }

    /// Whether boards of a group may be published now: they were not within the last second.
    func mayPublish(_ group: GroupKey, steady: Timestamp) -> Bool {
        published[group].map { $0.advanced(by: BoardClock.pause) <= steady || $0 > steady } ?? true
    }

    /// Groups whose boards are to be published now.
    func due(steady: Timestamp, limit: Int) -> [GroupKey] {
        waiting.isEmpty ? [] : Array(waiting.lazy.filter { $0.value <= steady }.map(\.key).prefix(limit))
    }

    /// How long until there is work between the batches; `nil` while none is known.
    func wait(now: Timestamp, steady: Timestamp) -> Duration? {
        var waits = [next.weekEnd, next.streakEnd].compactMap { $0 }.map { max(.zero, now.duration(to: $0)) }
        let publication = waiting.values.min()?.advanced(by: BoardClock.patience)
        waits += [next.removal, nextNotification, publication, sweep.map { _ in steady }].compactMap { $0 }.map {
            max(.zero, steady.duration(to: $0))
        }
        return waits.min().map { max($0, pace.wait(until: steady, now: steady)) }
    }

    func isDue(now: Timestamp, steady: Timestamp) -> Bool { wait(now: now, steady: steady) == .zero }

    // MARK: What was done

    mutating func recordCommitted(_ done: Done, steady: Timestamp) {
        forgetPublished(before: steady.advanced(by: .zero - BoardClock.pause))
        for group in done.published {
            waiting[group] = nil
            published[group] = steady
            publishedInOrder.append((group, steady))
        }
        for group in done.postponed {
            waiting[group] = (published[group] ?? steady).advanced(by: BoardClock.pause)
        }
        guard let rest = done.rest else { return }
        if sweep?.broker != nil, rest.sweep == nil { isBehind = false }
        (sweep, clockOffset, next, looksAgain) = (rest.sweep, rest.clockOffset, rest.next, false)
        nextNotification = rest.hasEndedWeeks ? steady.advanced(by: Pace.pause(after: done.notified)) : nil
        for group in rest.unpublished where waiting[group] == nil && published[group] == nil {
            waiting[group] = steady.advanced(by: .zero - BoardClock.patience)
        }
    }

    mutating func recordFailure(steady: Timestamp) { pace.rest(for: Pace.pauseAfterFailure, from: steady) }

    private mutating func forgetPublished(before time: Timestamp) {
        let count = publishedInOrder.prefix { $0.at <= time }.count
        for (group, at) in publishedInOrder.prefix(count) where published[group] == at { published[group] = nil }
        publishedInOrder.removeFirst(count)
    }
}
