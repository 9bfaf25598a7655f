import Logging
import ParleyProtocol
import ParleyPush
import ParleyRules
import ParleyStore
import Platform

/// What sends notifications to push services.
protocol PushSending: Sendable {
    /// How many more may be given to it of a provider.
    func room(for provider: PushProvider) -> Int
    /// Takes notifications to send, and never waits. What becomes of each comes back as an outcome.
    func submit(_ deliveries: [PushDelivery])
}

/// Decides whom to notify of what was noted, and gives what is due to the push services; see `PostPushes` for what is written.
///
/// Everything is read on snapshots, beside the writer. A posting at a time: what was decided is written before the next is
/// decided, so that nothing is decided twice. Confined to its thread.
final class PushDesk {
    private let store: Store
    private let settings: Settings
    private let exchange: PushExchange
    private let people: ConnectedPeople
    private let sender: any PushSending
    private let sink: PushSink?
    private let clock: MachineClock
    private var report: RecurringReport

    /// What was heard and is not written yet, because the database could not be.
    private var unwritten = PushPosting()
    private var departures: [ConnectedPeople.Departure] = []
    private var hasMore = true
    /// How many unread messages devices show at most, of those who may have some; nobody's is known after a start.
    private var told: [UserID: Int] = [:]
    /// By the steady time; at first, whatever an earlier process left.
    private var nextDue: Timestamp? = .earliest
    /// By the time of day.
    private var nextHoldEnd: Timestamp? = .earliest
    private let startedAt = ContinuousClock.now
    /// No earlier is the next posting.
    private var restedAt = ContinuousClock.now

    /// Without a report of who is connected nobody is; it is waited for so long after the start.
    static let longestUnknown = Duration.seconds(30)
    /// Between two postings: each is a transaction, and messages are to have most of them.
    static let pause = Duration.milliseconds(10)
    /// Who has left is looked at so many at a time: after a run of the broker that may be everybody.
    static let departuresAtOnce = 16

    init(
        store: Store, settings: Settings, exchange: PushExchange, people: ConnectedPeople, sender: any PushSending,
        sink: PushSink?, clock: MachineClock, logger: Logger
    ) {
        self.store = store
        self.settings = settings
        self.exchange = exchange
        self.people = people
        self.sender = sender
        self.sink = sink
        self.clock = clock
        report = RecurringReport(logger: logger)
    }

    /// Decides and sends until the exchange is closed. What could not be written by then comes back into it.
    func run() throws {
        defer { for outcome in unwritten.outcomes { exchange.add(outcome) } }
        while !exchange.isClosed {
            do {
                try step()
                report.end("pushes are decided again")
            } catch {
                report.add("pushes could not be decided", StoreError(error))
                try wait(.seconds(1))
            }
        }
    }

    private func step() throws {
        exchange.arrived.drain()
        let moment = clock.moment
        let (now, steady) = (moment.now, moment.now.advanced(byMilliseconds: -moment.steps))
        var posting = unwritten
        posting.outcomes += exchange.drainOutcomes()
        unwritten = PushPosting()
        unwritten.outcomes = posting.outcomes
        unwritten.dropped = posting.dropped
        if exchange.drainNoted() { (hasMore, nextDue) = (true, .earliest) }
        let isReady = people.isKnown || .now - startedAt >= PushDesk.longestUnknown
        if isReady, departures.isEmpty { departures = people.drainDepartures(limit: PushDesk.departuresAtOnce) }
        let hadMore = hasMore
        if isReady {
            do {
                try decide(into: &posting, now: now, steady: steady, steps: moment.steps)
            } catch {
                hasMore = hadMore
                throw error
            }
        }
        for provider in PushProvider.allCases { posting.room[provider] = sender.room(for: provider) }
        let isDue = nextDue.map { $0 <= steady } ?? false
        guard !posting.isEmpty || isDue && posting.room.values.contains(where: { $0 > 0 }) else {
            // Nothing follows from who has left.
            departures = []
            return try wait(pause(now: now, steady: steady))
        }
        try rest()
        guard let result = try exchange.post(posting) else { return }
        guard result.isCommitted else {
            hasMore = true
            return try wait(.seconds(1))
        }
        unwritten = PushPosting()
        departures = []
        (nextDue, nextHoldEnd) = (result.nextDue, result.nextHoldEnd)
        defer { restedAt = .now.advanced(by: PushDesk.pause) }
        for clearance in result.cleared { told[clearance.user] = clearance.isLast ? nil : clearance.number }
        try send(result.begun)
        if let sink { try write(result, to: sink) }
    }

    private func write(_ posted: PushPosting.Result, to sink: PushSink) throws {
        guard !posted.notified.isEmpty || !posted.cleared.isEmpty else { return }
        let now = clock.now
        let notifications = try store.read { snapshot throws -> [PushNotification] in
            let feed = try snapshot.pushEvents.unreadNotifications(posted.notified.compactMap(\.feed))
            let notifications =
                posted.notified.compactMap { notice in
                    notice.topic
                        ?? notice.feed.flatMap { feed[$0] }.map { PushNotification($0, of: notice.user, at: now) }
                } + posted.cleared.map { $0.notification(at: now, lifetime: settings.pushDeadline) }
            let counts = try snapshot.unread.counts(notifications.map { .badge(of: $0.user, at: now) })
            return notifications.map { $0.counted(counts[.badge(of: $0.user, at: now)] ?? 0) }
        }
        sink.write(notifications)
    }

    private func decide(into posting: inout PushPosting, now: Timestamp, steady: Timestamp, steps: Int64) throws {
        let isHoldOver = nextHoldEnd.map { $0 <= now } ?? false
        guard hasMore || isHoldOver || !departures.isEmpty else { return }
        posting = try store.read { snapshot in
            var posting = posting
            let decisions = DecidePushes(snapshot: snapshot, settings: settings, people: people, now: now, told: told)
            if hasMore {
                let events = try snapshot.pushEvents.events(limit: DecidePushes.eventsAtOnce)
                let isAll = try decisions.decide(events, into: &posting)
                hasMore = !isAll || events.count == DecidePushes.eventsAtOnce
            }
            try decisions.decide(departures, steps: steps, into: &posting)
            if isHoldOver {
                let ended = try snapshot.pushJobs.endedHolds(at: now, limit: DecidePushes.eventsAtOnce)
                try decisions.decide(ended, steady: steady, into: &posting)
            }
            return posting
        }
    }

    private func send(_ begun: [PushJob]) throws {
        guard !begun.isEmpty else { return }
        // Read anew: the number is that of now, and the posting may have waited long.
        let now = clock.now
        var deliveries: [PushDelivery] = []
        do {
            let built = try store.read { snapshot in
                try BuildDeliveries(snapshot: snapshot, settings: settings, now: now).build(begun)
            }
            for one in built {
                switch one {
                case .delivery(let delivery):
                    deliveries.append(delivery)
                    // It goes to one device: others may show a greater number.
                    let (user, number) = (delivery.notification.user, delivery.notification.badge.number)
                    if number > 0 { told[user] = max(told[user] ?? 0, number) }
                case .dropped(let job, let reason):
                    unwritten.dropped.append(PushPosting.Dropped(job: job, reason: reason))
                }
            }
        } catch {
            // Nothing of it was sent: all of it is due again.
            for job in begun {
                exchange.add(
                    PushOutcome(id: job.id, registration: job.registration, answer: .notTried(after: .seconds(1))))
            }
            throw error
        }
        sender.submit(deliveries)
    }

    // MARK: Waiting

    private func rest() throws {
        var none: [WatchedDescriptor] = []
        while ContinuousClock.now < restedAt { try waitForEvents(&none, timeout: restedAt - .now) }
    }

    private func pause(now: Timestamp, steady: Timestamp) -> Duration {
        if people.hasDepartures, people.isKnown { return .zero }
        var pause = Duration.seconds(1)
        // What finds no room is looked at again when something of it has come back.
        if let nextDue, nextDue > steady { pause = min(pause, steady.duration(to: nextDue)) }
        if let nextHoldEnd, nextHoldEnd > now { pause = min(pause, now.duration(to: nextHoldEnd)) }
        return pause
    }

    private func wait(_ pause: Duration) throws {
        guard unwritten.isEmpty || pause >= .seconds(1) else { return }
        var watched = [WatchedDescriptor(exchange.arrived.descriptor)]
        try waitForEvents(&watched, timeout: max(pause, .milliseconds(1)))
    }
}
