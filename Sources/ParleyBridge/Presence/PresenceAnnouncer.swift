import Logging
import ParleyProtocol
import ParleyRules
import ParleyStore

/// Takes what the broker's plugin reports of who is connected, and publishes what friends are told of it.
///
/// What is retained on `users/{uid}/presence` follows from the table of presence and the user's profile. A broker that
/// was killed has forgotten some of it: each new run of it is given all again, bit by bit. Confined to the intake's
/// thread.
final class PresenceAnnouncer {
    private let store: Store
    private let counters: Counters
    private var board: PresenceBoard
    private var report: RecurringReport
    /// The run of the broker that was given all that is retained.
    private var informedBroker: UInt64?
    private var telling: Telling?

    /// A run of the broker on its way to being given all that is retained.
    private struct Telling {
        let broker: UInt64
        /// The last user whose presence it was given.
        var after: UserID?
        var nextAt: Timestamp
    }

    /// The most announcements in one transaction.
    private static let batchLimit = 256

    init(store: Store, settings: Settings, counters: Counters, logger: Logger, now: Timestamp) throws(StoreError) {
        self.store = store
        self.counters = counters
        report = RecurringReport(logger: logger)
        let (online, broker) = try store.read { (try $0.usersOnline(), try $0.presenceBroker()) }
        board = PresenceBoard(shown: online, holdMilliseconds: Int64(settings.presenceHoldMilliseconds), now: now)
        informedBroker = broker
    }

    func take(_ reports: [PresenceReport], now: Timestamp) {
        for report in reports { board.take(report, now: now) }
        if let broker = board.broker, broker != informedBroker, broker != telling?.broker {
            telling = Telling(broker: broker, after: nil, nextAt: now)
        }
    }

    /// The connection by which the plugin reports is gone.
    func lostSight(now: Timestamp) { board.lostSight(now: now) }

    /// When `announce` may have something to do; `nil` while it has not.
    var nextExpiry: Timestamp? {
        switch (board.nextExpiry, telling?.nextAt) {
        case (let expiry?, let next?): min(expiry, next)
        case (let expiry, let next): expiry ?? next
        }
    }

    /// Publishes what is due, as much as goes into one transaction.
    func announce(now: Timestamp) -> Effects {
        let batch = board.announcements(limit: PresenceAnnouncer.batchLimit, now: now)
        var telling = telling.flatMap { now >= $0.nextAt ? $0 : nil }
        guard !batch.isEmpty || telling != nil else { return Effects() }
        do throws(StoreError) {
            let effects = try store.write { transaction in
                var effects = Effects()
                try effects.announce(batch, transaction)
                // What is told of everybody is as it stands after that.
                try effects.write(in: transaction)
                telling = try telling.flatMap { try tellMore($0, transaction, &effects, now: now) }
                try effects.write(in: transaction)
                return effects
            }
            counters.batches.add(1)
            report.isOver("presence can be written again")
            board.committed(batch, now: now)
            if let current = self.telling, now >= current.nextAt {
                if telling == nil { informedBroker = current.broker }
                self.telling = telling
            }
            return effects
        } catch {
            counters.failedBatches.add(1)
            report.add("presence could not be written", error)
            self.telling?.nextAt = now.advanced(byMilliseconds: PresenceBoard.retryMilliseconds)
            return Effects()
        }
    }

    /// - Returns: what is left to tell; `nil` when the broker has been given everything.
    private func tellMore(
        _ telling: Telling, _ transaction: WriteTransaction, _ effects: inout Effects, now: Timestamp
    ) throws -> Telling? {
        let kept = try transaction.facts.presences(after: telling.after, limit: PresenceAnnouncer.batchLimit)
        for kept in kept {
            try effects.publish(.presence(kept.presence.shown(under: kept.privacy), of: kept.user), transaction)
        }
        guard kept.count == PresenceAnnouncer.batchLimit else {
            try transaction.notePresenceBroker(telling.broker)
            return nil
        }
        var rest = telling
        rest.after = kept.last?.user
        rest.nextAt = now.advanced(byMilliseconds: PresenceBoard.batchIntervalMilliseconds)
        return rest
    }
}

extension Effects {
    /// Keeps how users now stand, and publishes it where that changes what their friends are shown.
    fileprivate mutating func announce(
        _ announcements: [PresenceBoard.Announcement], _ transaction: WriteTransaction
    ) throws(StoreError) {
        let before = try transaction.facts.presences(of: announcements.map(\.user))
        for announcement in announcements {
            // Nobody's, where the database was put back to a time before this user.
            guard let kept = before[announcement.user] else { continue }
            writes.put(announcement.presence, of: kept.user)
            let shown = announcement.presence.shown(under: kept.privacy)
            if shown != kept.presence.shown(under: kept.privacy) { try publish(.presence(shown, of: kept.user), transaction) }
        }
    }
}
