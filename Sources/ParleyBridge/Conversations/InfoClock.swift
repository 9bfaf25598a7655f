import ParleyProtocol
import ParleyStore

/// When `info` of conversations is to be published again, and never more than so many in a second.
///
/// A value. All times are steady ones.
struct InfoClock {
    /// The run of the broker that has reported last.
    private var broker: UInt64?
    /// A run of the broker that may have forgotten what it retained; `nil` when everything is published to it.
    private(set) var walk: Walk?
    /// No later than when somebody's display name is next to be published; `nil` if none is. At first, whatever an earlier
    /// process left.
    private var nextName: Timestamp? = Timestamp(milliseconds: 0)
    private var pace = Pace()

    /// A run of the broker to which `info` of all groups is being published. The process that follows this one begins again.
    struct Walk {
        let broker: UInt64
        /// The last group whose `info` is published to it; `nil` before the first.
        var after: ConversationKey?
    }

    /// What came of publishing some.
    struct Published {
        /// How many were published or looked at.
        var count = 0
        /// What is left to publish to the broker.
        var walk: Walk?
        /// When the first name of what is left is due.
        var nextName: Timestamp?
    }

    /// From when a display name was changed until that is published: all changes within it are published at once.
    static let nameDelay = Duration.seconds(3)

    /// The broker's plugin reports who is connected, and with that which run of the broker this is.
    mutating func handle(_ reports: [PresenceReport]) {
        for case .begin(let broker, _) in reports where broker != self.broker {
            self.broker = broker
            walk = Walk(broker: broker, after: nil)
        }
    }

    /// Somebody has another display name.
    mutating func scheduleName(at due: Timestamp) { nextName = min(nextName ?? due, due) }

    /// How long until something is to be published; `nil` while nothing is.
    func wait(now: Timestamp) -> Duration? {
        (walk == nil ? nextName : now).map { pace.wait(until: $0, now: now) }
    }

    func isDue(now: Timestamp) -> Bool { wait(now: now) == .zero }

    /// What was published is committed.
    mutating func recordCommitted(_ published: Published, now: Timestamp) {
        (walk, nextName) = (published.walk, published.nextName)
        pace.rest(for: Pace.pause(after: published.count), from: now)
    }

    /// The transaction has failed, with whatever it was to publish.
    mutating func recordFailure(now: Timestamp) { pace.rest(for: Pace.pauseAfterFailure, from: now) }
}
