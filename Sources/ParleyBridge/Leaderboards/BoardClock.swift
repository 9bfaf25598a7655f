import ParleyProtocol
import ParleyStore

/// When something about boards is next to be done, and which of them were published within the last second.
///
/// A value. Weeks and streaks end by the time of day; publications and removals go by the steady time.
struct BoardClock {
    /// No later than the first of each that is to come. At first, whatever an earlier process left.
    private var nextTurn: Timestamp? = .earliest
    private var nextLapse: Timestamp? = .earliest
    private var nextRemoval: Timestamp? = .earliest
    /// When members of some groups may be notified that their week has ended, if there are any.
    private var nextNotification: Timestamp? = .earliest
    /// Groups with boards to be published, and from when on they may be.
    private var waiting: [GroupKey: Timestamp] = [:]
    /// When boards of a group were last published, if that is less than a second ago; and the same in order.
    private var published: [GroupKey: Timestamp] = [:]
    private var publishedInOrder: [(group: GroupKey, at: Timestamp)] = []
    /// The run of the broker that has reported last.
    private var broker: UInt64?
    /// All boards, of which something is to be done; `nil` when it is.
    private(set) var walk: Walk?
    /// How far the time of day was ahead of the steady time when all boards were last up to it, as it is stored; `nil`
    /// until that is read.
    private var clockOffset: Int64?
    private var pace = Pace()

    /// What is done with the boards of all groups, one after the other. The process that follows this one begins again.
    struct Walk {
        /// A run of the broker that may have forgotten what it retained.
        var broker: UInt64?
        /// The clock was set back: how far it is ahead of the steady time now.
        var clockOffset: Int64?
        /// The last group that is done; `nil` before the first.
        var after: GroupKey?
    }

    /// What a transaction has done about boards.
    struct Done {
        /// Groups whose boards were published.
        var published: [GroupKey] = []
        /// Groups whose boards are to be published, but not yet.
        var postponed: [GroupKey] = []
        /// How many members of groups were notified that their week has ended.
        var notified = 0
        /// Of what is only done between the batches, what is left.
        var rest: Rest?

        struct Rest {
            var walk: Walk?
            var clockOffset: Int64
            var nextTurn: Timestamp?
            var nextLapse: Timestamp?
            var nextRemoval: Timestamp?
            /// Groups that an earlier process has left to be published.
            var unpublished: [GroupKey]
            /// Whether members of some groups are yet to be notified that their week has ended.
            var hasEndedWeeks: Bool
        }
    }

    /// Between two publications of a group.
    static let pause = Duration.seconds(1)
    /// How long boards that may be published again wait for a batch to go with, before they get a transaction of their
    /// own: else, where many groups wait, each batch would be followed by one for those whose second has ended
    /// meanwhile.
    static let patience = Duration.milliseconds(25)
    /// By how much the clock may be set back, in milliseconds, without that streaks which were over go on.
    static let negligibleStep: Int64 = 60_000

    // MARK: What there is to do

    /// The broker's plugin reports who is connected, and with that which run of the broker this is.
    mutating func handle(_ reports: [PresenceReport]) {
        for case .begin(let broker, _) in reports where broker != self.broker {
            self.broker = broker
            walk = Walk(broker: broker, clockOffset: walk?.clockOffset, after: nil)
        }
    }

    /// The clock was read. Where it was set back, streaks that seemed over go on.
    mutating func handle(clockOffset: Int64) {
        guard let stored = self.clockOffset, abs(clockOffset - stored) > BoardClock.negligibleStep else { return }
        nextTurn = .earliest
        guard clockOffset < stored, walk?.clockOffset.map({ abs($0 - clockOffset) > BoardClock.negligibleStep }) ?? true
        else { return }
        walk = Walk(broker: walk?.broker, clockOffset: clockOffset, after: nil)
    }

    /// A transaction was committed from which this follows.
    mutating func merge(_ schedule: BoardSchedule) {
        if let time = schedule.nextTurn { nextTurn = min(nextTurn ?? time, time) }
        if let time = schedule.nextLapse { nextLapse = min(nextLapse ?? time, time) }
        if let time = schedule.nextRemoval { nextRemoval = min(nextRemoval ?? time, time) }
    }

    /// Whether this process has not asked yet what an earlier one has left.
    var isNew: Bool { clockOffset == nil }

    func isTurnDue(now: Timestamp) -> Bool { nextTurn.map { $0 <= now } ?? false }
    func isLapseDue(now: Timestamp) -> Bool { nextLapse.map { $0 <= now } ?? false }
    func isRemovalDue(steady: Timestamp) -> Bool { nextRemoval.map { $0 <= steady } ?? false }
    func isNotificationDue(steady: Timestamp) -> Bool { nextNotification.map { $0 <= steady } ?? false }

    /// Whether boards of a group may be published now: they were not within the last second.
    func mayPublish(_ group: GroupKey, steady: Timestamp) -> Bool {
        published[group].map { $0.advanced(by: BoardClock.pause) <= steady || $0 > steady } ?? true
    }

    /// Groups whose boards are to be published now, at most so many.
    func due(steady: Timestamp, limit: Int) -> [GroupKey] {
        waiting.isEmpty ? [] : Array(waiting.lazy.filter { $0.value <= steady }.map(\.key).prefix(limit))
    }

    /// How long until something is to be done between the batches; `nil` while nothing is.
    func wait(now: Timestamp, steady: Timestamp) -> Duration? {
        var waits = [nextTurn, nextLapse].compactMap { $0 }.map { max(.zero, now.duration(to: $0)) }
        let publication = waiting.values.min()?.advanced(by: BoardClock.patience)
        waits += [nextRemoval, nextNotification, publication, walk.map { _ in steady }].compactMap { $0 }.map {
            max(.zero, steady.duration(to: $0))
        }
        return waits.min().map { max($0, pace.wait(until: steady, now: steady)) }
    }

    func isDue(now: Timestamp, steady: Timestamp) -> Bool { wait(now: now, steady: steady) == .zero }

    // MARK: What was done

    /// What was done is committed.
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
        (walk, clockOffset) = (rest.walk, rest.clockOffset)
        (nextTurn, nextLapse, nextRemoval) = (rest.nextTurn, rest.nextLapse, rest.nextRemoval)
        nextNotification = rest.hasEndedWeeks ? steady.advanced(by: Pace.pause(after: done.notified)) : nil
        for group in rest.unpublished where waiting[group] == nil && published[group] == nil {
            waiting[group] = steady.advanced(by: .zero - BoardClock.patience)
        }
    }

    /// The transaction has failed, with whatever it was to do between the batches.
    mutating func recordFailure(steady: Timestamp) { pace.rest(for: Pace.pauseAfterFailure, from: steady) }

    private mutating func forgetPublished(before time: Timestamp) {
        let count = publishedInOrder.prefix { $0.at <= time }.count
        for (group, at) in publishedInOrder.prefix(count) where published[group] == at { published[group] = nil }
        publishedInOrder.removeFirst(count)
    }
}
