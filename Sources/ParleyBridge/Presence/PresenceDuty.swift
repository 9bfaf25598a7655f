import Logging
import ParleyProtocol
import ParleyRules
import ParleyStore

/// Handles the plugin's reports of connections, and publishes presence to friends.
///
/// The retained message on `users/{uid}/presence` follows from the table of presence and the user's profile. A broker
/// that was killed has forgotten some of them: each new run of it gets all of them again, in parts.
final class PresenceDuty: Duty {
    typealias Wake = Never
    static let failure: Logger.Message = "presence could not be written"
    static let sharedWork: SharedWork? = nil
    static let publishes = true
    private let people: ConnectedPeople
    private let cells: (any Cells)?
    /// Since when there are no reports; `nil` while there are.
    private var unknownSince: Timestamp?
    private var board: PresenceTracker
    /// The run of the broker that has all retained messages.
    private var informedBroker: UInt64?
    private var sweep: Sweep?
    /// When it is next looked whom others have shown as offline meanwhile; `nil` while there is no cause.
    private var lookAt: Timestamp?
    private var pace = Pace()

    /// A run of the broker to which all presence is being published again.
    struct Sweep {
        let broker: UInt64
        /// The last user whose presence is published to it.
        var after: UserID?
        var nextAt: Timestamp
    }

    /// The most announcements in one transaction.
    private static let atOnce = 256

    /// - Parameters:
    ///   - people: is kept up to the reports.
    ///   - lastTime: the last at which an earlier process is known to have run; `nil` if there was none. A user who has
    ///     left since then may have left at once.
    init(
        _ store: Store, _ settings: Settings, people: ConnectedPeople = ConnectedPeople(), now: Timestamp,
        lastTime: Timestamp? = nil
    ) throws(StoreError) {
        self.people = people
        cells = store.cells
        let since = min(now, lastTime ?? now)
        unknownSince = since
        let (online, offline, broker) = try store.read { snapshot in
            (
                try store.cells?.sessions(in: snapshot) ?? snapshot.presence.usersOnline(),
                try snapshot.presence.usersOffline(since: since.advanced(by: .zero - ConnectedPeople.longestUnnoticed)),
                try snapshot.outbox.broker(of: .presence)
            )
        }
        board = PresenceTracker(shown: online, hold: settings.presenceHold, now: now)
        informedBroker = broker
        people.begin(with: board.everyoneConnected.union(offline))
    }

    func handle(_ reports: [PresenceReport], now: Timestamp) {
        for report in reports {
            board.handle(report, now: now)
            switch report {
            case .begin, .everyone: break
            case .end:
                people.replace(with: board.everyoneConnected, unknownSince: unknownSince ?? now)
                unknownSince = nil
                if cells != nil { lookAt = now }
            case .online(let user): people.arrive(user)
            case .offline(let user, let ago): people.leave(user, at: now.advanced(byMilliseconds: -Int64(ago)))
            }
        }
        if let broker = board.broker, broker != informedBroker, broker != sweep?.broker {
            sweep = Sweep(broker: broker, after: nil, nextAt: now)
        }
    }

    /// Other cells have gone on without this one: they have shown its users as offline, and what they have published
    /// was not read here.
    func recordReturn(now: Timestamp) {
        lookAt = now
        informedBroker = nil
        sweep = board.broker.map { Sweep(broker: $0, after: nil, nextAt: now) }
    }

    /// The connection by which the plugin reports is gone.
    func recordLostSight(now: Timestamp) {
        board.recordLostSight(now: now)
        if unknownSince == nil { unknownSince = now }
    }

    func observe(_ moment: Moment) { board.endHolds(now: moment.now) }

    func wait(at moment: Moment) -> Duration? {
        [board.nextExpiry, sweep?.nextAt, lookAt].compactMap { $0 }.min().map {
            max(.zero, moment.now.duration(to: $0), pace.wait(until: .earliest, now: moment.steady))
        }
    }

    struct Done {
        let announced: [PresenceTracker.Announcement]
        /// The sweep before this part and after it.
        let before: Sweep?
        let after: Sweep?
        /// Those who are stored as connected to this cell, if that was looked at.
        let sessions: [UserID]?
    }

    func run(in batch: Batch) throws(StoreError) -> Done {
        let announced = board.nextAnnouncements(limit: Self.atOnce, now: batch.now)
        let before = sweep.flatMap { batch.now >= $0.nextAt ? $0 : nil }
        try batch.effects.announce(visible(announced, batch.writable()), batch.writable())
        // The sweep reads presence after that.
        let after = try before.flatMap { sweep throws(StoreError) in try publishMore(sweep, batch) }
        return Done(announced: announced, before: before, after: after, sessions: try lookedAt(batch))
    }

    /// Behind the announcements, which are among them.
    private func lookedAt(_ batch: Batch) throws(StoreError) -> [UserID]? {
        guard let cells, let lookAt, lookAt <= batch.now else { return nil }
        return try cells.sessions(in: batch.facts())
    }

    /// Those that others see: whoever leaves this cell and is connected to another is still online.
    private func visible(
        _ announced: [PresenceTracker.Announcement], _ transaction: WriteTransaction
    ) throws(StoreError) -> [PresenceTracker.Announcement] {
        guard let cells, !announced.isEmpty else { return announced }
        let (arrived, left) = (announced.filter(\.isArrival), announced.filter { !$0.isArrival })
        try cells.storeSessions(arrived: arrived.map(\.user), left: left.map(\.user), in: transaction)
        let elsewhere = try cells.connected(among: left.map(\.user), elsewhere: true, in: transaction.facts)
        return arrived + left.filter { !elsewhere.contains($0.user) }
    }

    func recordCommitted(_ done: Done, at moment: Moment) {
        board.recordCommit(done.announced, now: moment.now)
        if cells != nil { lookAgain(at: done.announced) }
        if let sessions = done.sessions {
            board.correct(shown: sessions)
            lookAt = nil
        }
        guard let before = done.before else { return }
        if done.after == nil { informedBroker = before.broker }
        sweep = done.after
    }

    /// Until now other cells took them for connected, and have not notified them of what came in their hold.
    private func lookAgain(at announced: [PresenceTracker.Announcement]) {
        for announcement in announced {
            guard case .offline(let lastSeen?) = announcement.presence else { continue }
            people.depart([announcement.user], at: lastSeen)
        }
    }

    func recordFailure(at moment: Moment) { pace.rest(for: Self.pauseAfterFailure, from: moment.steady) }

    /// - Returns: the rest of the sweep.
    private func publishMore(_ sweep: Sweep, _ batch: Batch) throws(StoreError) -> Sweep? {
        let transaction = try batch.writable()
        let stored = try transaction.facts.presence.stored(after: sweep.after, limit: Self.atOnce)
        for stored in stored {
            if cells == nil {
                try batch.effects.publish(PresenceUpdate(stored), transaction)
            } else {
                batch.effects.publishHere(PresenceUpdate(stored))
            }
        }
        guard stored.count == Self.atOnce else {
            try transaction.outbox.setBroker(sweep.broker, of: .presence)
            return nil
        }
        var rest = sweep
        rest.after = stored.last?.user
        rest.nextAt = batch.now.advanced(by: PresenceTracker.batchInterval)
        return rest
    }
}

extension PresenceTracker.Announcement {
    fileprivate var isArrival: Bool {
        switch presence {
        case .online: true
        case .offline: false
        }
    }
}

extension PresenceUpdate {
    /// What friends see.
    init(_ stored: StoredPresence) {
        self.init(user: stored.user, stored.presence.shown(under: stored.privacy))
    }
}

extension Effects {
    /// Stores the presence of users, and publishes it where friends see a change.
    mutating func announce(
        _ announcements: [PresenceTracker.Announcement], _ transaction: WriteTransaction
    ) throws(StoreError) {
        let before = try transaction.facts.presence.stored(of: announcements.map(\.user))
        for announcement in announcements {
            // There is none after the database was put back to a time before this user.
            guard let kept = before[announcement.user] else { continue }
            writes.put(announcement.presence, of: kept.user)
            let shown = announcement.presence.shown(under: kept.privacy)
            if shown != kept.presence.shown(under: kept.privacy) {
                try publish(PresenceUpdate(user: kept.user, shown), transaction)
            }
        }
    }
}
