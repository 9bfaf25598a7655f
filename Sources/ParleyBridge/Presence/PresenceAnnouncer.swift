import Logging
import ParleyProtocol
import ParleyRules
import ParleyStore

/// Handles the plugin's reports of who is connected, and publishes what friends are shown of it.
///
/// What is retained on `users/{uid}/presence` follows from the table of presence and the user's profile. A broker that
/// was killed has forgotten some of it: each new run of it gets all of it again, in parts. Confined to the intake's
/// thread.
final class PresenceAnnouncer {
    private let store: Store
    private let counters: Counters
    private let people: ConnectedPeople
    /// Since when it is not known who is connected; `nil` while it is.
    private var unknownSince: Timestamp?
    private var board: PresenceBoard
    private var report: RecurringReport
    /// The run of the broker that has got everything that is retained.
    private var informedBroker: UInt64?
    private var walk: Walk?

    /// A run of the broker to which everything that is retained is being published.
    private struct Walk {
        let broker: UInt64
        /// The last user whose presence is published to it.
        var after: UserID?
        var nextAt: Timestamp
    }

    /// The most announcements in one transaction.
    private static let batchLimit = 256

    /// - Parameters:
    ///   - people: is told who is connected.
    ///   - lastTime: the last at which an earlier process is known to have run; `nil` if there was none. Who has left since
    ///     then may have left at once.
    init(
        store: Store, settings: Settings, counters: Counters, people: ConnectedPeople = ConnectedPeople(),
        logger: Logger, now: Timestamp, lastTime: Timestamp? = nil
    ) throws(StoreError) {
        self.store = store
        self.counters = counters
        self.people = people
        unknownSince = min(now, lastTime ?? now)
        report = RecurringReport(logger: logger)
        let (online, broker) = try store.read { (try $0.presence.usersOnline(), try $0.presence.broker()) }
        board = PresenceBoard(shown: online, hold: settings.presenceHold, now: now)
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

    /// When `announce` may have something to do; `nil` while it has not.
    var nextExpiry: Timestamp? {
        switch (board.nextExpiry, walk?.nextAt) {
        case (let expiry?, let next?): min(expiry, next)
        case (let expiry, let next): expiry ?? next
        }
    }

    /// Publishes what is due, as much as goes into one transaction.
    func announce(now: Timestamp) -> Effects {
        let batch = board.nextAnnouncements(limit: PresenceAnnouncer.batchLimit, now: now)
        var walk = walk.flatMap { now >= $0.nextAt ? $0 : nil }
        guard !batch.isEmpty || walk != nil else { return Effects() }
        do throws(StoreError) {
            let effects = try store.write { transaction in
                var effects = Effects()
                try effects.announce(batch, transaction)
                // What is published of everybody is read after that.
                try effects.write(in: transaction)
                walk = try walk.flatMap { try publishMore($0, transaction, &effects, now: now) }
                try effects.write(in: transaction)
                return effects
            }
            counters.batches.add(1)
            report.end("presence can be written again")
            board.recordCommit(batch, now: now)
            if let current = self.walk, now >= current.nextAt {
                if walk == nil { informedBroker = current.broker }
                self.walk = walk
            }
            return effects
        } catch {
            counters.failedBatches.add(1)
            report.add("presence could not be written", error)
            self.walk?.nextAt = now.advanced(by: PresenceBoard.retryPause)
            return Effects()
        }
    }

    /// - Returns: what is left to publish; `nil` when the broker has got everything.
    private func publishMore(
        _ walk: Walk, _ transaction: WriteTransaction, _ effects: inout Effects, now: Timestamp
    ) throws -> Walk? {
        let kept = try transaction.facts.presence.stored(after: walk.after, limit: PresenceAnnouncer.batchLimit)
        for kept in kept {
            try effects.publish(.presence(kept.presence.shown(under: kept.privacy), of: kept.user), transaction)
        }
        guard kept.count == PresenceAnnouncer.batchLimit else {
            try transaction.presence.setBroker(walk.broker)
            return nil
        }
        var rest = walk
        rest.after = kept.last?.user
        rest.nextAt = now.advanced(by: PresenceBoard.batchInterval)
        return rest
    }
}

extension Effects {
    /// Stores the presence of users, and publishes it where that changes what their friends are shown.
    fileprivate mutating func announce(
        _ announcements: [PresenceBoard.Announcement], _ transaction: WriteTransaction
    ) throws(StoreError) {
        let before = try transaction.facts.presence.stored(of: announcements.map(\.user))
        for announcement in announcements {
            // Nobody's, where the database was put back to a time before this user.
            guard let kept = before[announcement.user] else { continue }
            writes.put(announcement.presence, of: kept.user)
            let shown = announcement.presence.shown(under: kept.privacy)
            if shown != kept.presence.shown(under: kept.privacy) {
                try publish(.presence(shown, of: kept.user), transaction)
            }
        }
    }
}
