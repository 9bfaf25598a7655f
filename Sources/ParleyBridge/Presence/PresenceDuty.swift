import Logging
import ParleyProtocol
import ParleyRules
import ParleyStore

/// Handles the plugin's reports of who is connected, and publishes what friends are shown of it.
///
/// What is retained on `users/{uid}/presence` follows from the table of presence and the user's profile. A broker that
/// was killed has forgotten some of it: each new run of it gets all of it again, in parts.
final class PresenceDuty: Duty {
    typealias Wake = Never
    static let failure: Logger.Message = "presence could not be written"
    static let publishes = true
    private let people: ConnectedPeople
    /// Since when it is not known who is connected; `nil` while it is.
    private var unknownSince: Timestamp?
    private var board: PresenceTracker
    /// The run of the broker that has got everything that is retained.
    private var informedBroker: UInt64?
    private var walk: Walk?

    /// A run of the broker to which everything that is retained is being published.
    struct Walk {
        let broker: UInt64
        /// The last user whose presence is published to it.
        var after: UserID?
        var nextAt: Timestamp
    }

    /// The most announcements in one transaction.
    private static let atOnce = 256

    /// - Parameters:
    ///   - people: is told who is connected.
    ///   - lastTime: the last at which an earlier process is known to have run; `nil` if there was none. Who has left
    ///     since then may have left at once.
    init(
        _ store: Store, _ settings: Settings, people: ConnectedPeople = ConnectedPeople(), now: Timestamp,
        lastTime: Timestamp? = nil
    ) throws(StoreError) {
        self.people = people
        unknownSince = min(now, lastTime ?? now)
        let (online, broker) = try store.read { (try $0.presence.usersOnline(), try $0.outbox.broker(of: .presence)) }
        board = PresenceTracker(shown: online, hold: settings.presenceHold, now: now)
        informedBroker = broker
        people.begin(with: board.everyoneConnected)
    }

    func handle(_ reports: [PresenceReport], now: Timestamp) {
        for report in reports {
            board.handle(report, now: now)
            switch report {
            case .begin, .everyone: break
            case .end:
                people.replace(with: board.everyoneConnected, unknownSince: unknownSince ?? now)
                unknownSince = nil
            case .online(let user): people.arrive(user)
            case .offline(let user, let ago): people.leave(user, at: now.advanced(byMilliseconds: -Int64(ago)))
            }
        }
        if let broker = board.broker, broker != informedBroker, broker != walk?.broker {
            walk = Walk(broker: broker, after: nil, nextAt: now)
        }
    }

    /// The connection by which the plugin reports is gone.
    func recordLostSight(now: Timestamp) {
        board.recordLostSight(now: now)
        if unknownSince == nil { unknownSince = now }
    }

    func observe(_ moment: Moment) { board.endHolds(now: moment.now) }

    func wait(at moment: Moment) -> Duration? {
        [board.nextExpiry, walk?.nextAt].compactMap { $0 }.min().map { max(.zero, moment.now.duration(to: $0)) }
    }

    struct Done {
        let announced: [PresenceTracker.Announcement]
        /// What was left to publish to a broker, and is left.
        let before: Walk?
        let after: Walk?
    }

    /// Publishes what is due, as much as goes into one transaction.
    func run(in batch: Batch) throws(StoreError) -> Done {
        let announced = board.nextAnnouncements(limit: Self.atOnce, now: batch.now)
        let before = walk.flatMap { batch.now >= $0.nextAt ? $0 : nil }
        try batch.effects.announce(announced, batch.writable())
        // What is published of everybody is read after that.
        let after = try before.flatMap { walk throws(StoreError) in try publishMore(walk, batch) }
        return Done(announced: announced, before: before, after: after)
    }

    func recordCommitted(_ done: Done, at moment: Moment) {
        board.recordCommit(done.announced, now: moment.now)
        guard let before = done.before else { return }
        if done.after == nil { informedBroker = before.broker }
        walk = done.after
    }

    func recordFailure(at moment: Moment) { walk?.nextAt = moment.now.advanced(by: PresenceTracker.retryPause) }

    /// - Returns: what is left to publish; `nil` when the broker has got everything.
    private func publishMore(_ walk: Walk, _ batch: Batch) throws(StoreError) -> Walk? {
        let transaction = try batch.writable()
        let stored = try transaction.facts.presence.stored(after: walk.after, limit: Self.atOnce)
        for stored in stored {
            try batch.effects.publish(
                PresenceUpdate(user: stored.user, stored.presence.shown(under: stored.privacy)), transaction)
        }
        guard stored.count == Self.atOnce else {
            try transaction.outbox.setBroker(walk.broker, of: .presence)
            return nil
        }
        var rest = walk
        rest.after = stored.last?.user
        rest.nextAt = batch.now.advanced(by: PresenceTracker.batchInterval)
        return rest
    }
}

extension Effects {
    /// Stores the presence of users, and publishes it where that changes what their friends are shown.
    fileprivate mutating func announce(
        _ announcements: [PresenceTracker.Announcement], _ transaction: WriteTransaction
    ) throws(StoreError) {
        let before = try transaction.facts.presence.stored(of: announcements.map(\.user))
        for announcement in announcements {
            // Nobody's, where the database was put back to a time before this user.
            guard let kept = before[announcement.user] else { continue }
            writes.put(announcement.presence, of: kept.user)
            let shown = announcement.presence.shown(under: kept.privacy)
            if shown != kept.presence.shown(under: kept.privacy) {
                try publish(PresenceUpdate(user: kept.user, shown), transaction)
            }
        }
    }
}
