import ParleyProtocol
import ParleyStore

/// When `info` of conversations is to be published again, and never more than so many in a second.
///
/// A value; the writer asks it and tells it what came of it. All times are steady ones.
struct InfoClock {
    /// The run of the broker that has reported last.
    private var broker: UInt64?
    /// A run of the broker that may have forgotten what it retained; `nil` when it has been given everything.
    private(set) var walk: Walk?
    /// No later than when somebody's display name is next to be published; `nil` if none is. At first, whatever an earlier
    /// process left.
    private var nextName: Timestamp? = Timestamp(milliseconds: 0)
    private var pauseStart = Timestamp(milliseconds: 0)
    /// In milliseconds.
    private var pause: Int64 = 0

    /// A run of the broker on its way to being given `info` of all groups. A process that ends leaves it to the next one,
    /// which begins again.
    struct Walk {
        let broker: UInt64
        /// The last group that it was given; `nil` before the first.
        var after: ConversationKey?
    }

    /// What came of publishing some.
    struct Published {
        /// How many were published or looked at.
        var count = 0
        /// What is left to give to the broker.
        var walk: Walk?
        /// When the first name of what is left is due.
        var nextName: Timestamp?
    }

    /// From when a display name was changed until that is published, in milliseconds: all changes within it are published at
    /// once.
    static let nameDelay: Int64 = 3000

    /// After a transaction that could not be committed, in milliseconds.
    private static let pauseAfterFailure: Int64 = 1000

    /// How long nothing is published after so many were, in milliseconds: a thousand in a second are enough.
    static func pause(_ count: Int) -> Int64 { Int64(count) }

    /// The broker's plugin reports who is connected, and with that which run of the broker this is.
    mutating func see(_ reports: [PresenceReport]) {
        for case .begin(let broker, _) in reports where broker != self.broker {
            self.broker = broker
            walk = Walk(broker: broker, after: nil)
        }
    }

    /// Somebody has another display name.
    mutating func noteName(dueAt due: Timestamp) { nextName = min(nextName ?? due, due) }

    /// How long until something is to be published, in milliseconds; `nil` while nothing is.
    func wait(now: Timestamp) -> Int64? {
        guard let due = walk == nil ? nextName : now else { return nil }
        let untilDue = due.milliseconds - now.milliseconds
        guard now >= pauseStart else { return max(0, untilDue) }
        return max(0, untilDue, pause - (now.milliseconds - pauseStart.milliseconds))
    }

    func isDue(now: Timestamp) -> Bool { wait(now: now) == 0 }

    /// What was published is committed.
    mutating func committed(_ published: Published, now: Timestamp) {
        (walk, nextName) = (published.walk, published.nextName)
        (pauseStart, pause) = (now, InfoClock.pause(published.count))
    }

    /// The transaction has failed, with whatever it was to publish.
    mutating func failed(now: Timestamp) { (pauseStart, pause) = (now, InfoClock.pauseAfterFailure) }
}
