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

/// The writer of the database of pushes: decides whom to notify of what has happened, gives what is due to the push
/// services, and records what these answer.
///
/// The main database is read on snapshots. A plan at a time: the next is decided when the writer has carried out the
/// last one. Answers are recorded and jobs sent meanwhile. Confined to its thread.
final class PushLoop {
    private let store: Store
    private let pushes: PushStore
    private let settings: Settings
    private let inbox: PushInbox
    private let shared: Shared
    private let sender: any PushSending
    private let sink: PushSink?
    private let clock: MachineClock
    private let counters: Counters
    private let logger: Logger
    private var report: RecurringReport

    /// What it shares with the writer.
    struct Shared {
        let people: ConnectedPeople
        let displaying: DisplayingUsers
        let announcements: PushAnnouncements
    }

    /// What has come of notifications and is not written yet.
    private struct Results {
        var outcomes: [PushOutcome] = []
        var dropped: [(job: PushJob, reason: String)] = []
        var ends: [(end: PushAnnouncement.End, result: PushAnnouncement.EndResult)] = []

        var isEmpty: Bool { outcomes.isEmpty && dropped.isEmpty && ends.isEmpty }
    }

    private var results = Results()
    /// What the writer is to be given next, and whether it has something.
    private var next = PushAnnouncement()
    private var isAnnouncing = false
    /// Whether a plan is written that the writer has not carried out.
    private var hasOpenPlan = false
    private var departures: [ConnectedPeople.Departure] = []
    /// How many unread messages devices display at most, of those who may have some; nobody's is known after a start.
    private var lastBadges: [UserID: Int] = [:]
    /// By the steady time; at first, whatever an earlier process left.
    private var nextDue: Timestamp? = .earliest
    private var nextRemoval: Timestamp = .earliest
    /// By the time of day.
    private var nextHoldEnd: Timestamp? = .earliest
    private let startedAt = ContinuousClock.now
    /// No earlier is the next transaction.
    private var restedAt = ContinuousClock.now

    /// Without a report of who is connected nobody is; it is waited for so long after the start.
    static let longestUnknown = Duration.seconds(30)
    /// Between two transactions: what comes meanwhile is written at once.
    static let pause = Duration.milliseconds(10)
    /// Who has left is looked at so many at a time: after a run of the broker that may be everybody.
    static let departuresAtOnce = 16
    /// The most traces that are removed at once.
    static let removalsAtOnce = 256

    init(
        store: Store, pushes: PushStore, settings: Settings, inbox: PushInbox, shared: Shared, sender: any PushSending,
        sink: PushSink?, clock: MachineClock, counters: Counters, logger: Logger
    ) {
        self.store = store
        self.pushes = pushes
        self.settings = settings
        self.inbox = inbox
        self.shared = shared
        self.sender = sender
        self.sink = sink
        self.clock = clock
        self.counters = counters
        self.logger = logger
        report = RecurringReport(logger: logger)
    }

    /// Decides and sends until the inbox is closed. Outcomes that could not be written by then come back into it.
    func run() throws {
        defer { for outcome in results.outcomes { inbox.add(outcome) } }
        var isResumed = false
        while !inbox.isClosed {
            do {
                if !isResumed {
                    try resume()
                    isResumed = true
                }
                try step()
                report.end("pushes are decided again")
            } catch {
                report.add("pushes could not be decided", StoreError(error))
                restedAt = .now.advanced(by: .seconds(1))
                try rest()
            }
        }
    }

    /// The plan of an earlier process may not be carried out yet.
    private func resume() throws {
        guard let plan = try pushes.read({ try $0.plans.last() }),
            try store.read({ try $0.pushLink.plan() }) < plan.number
        else { return }
        next.plan = try read { try planner($0, $1, now: clock.now).announcement(plan) }
        hasOpenPlan = true
        announce()
    }

    private func step() throws {
        inbox.arrived.drain()
        let moment = clock.moment
        let (now, steady) = (moment.now, moment.steady)
        try removeTraces(at: steady)
        collect()
        var plan = try decide(now: now, steady: steady, steps: moment.clockOffset)
        var room: [PushProvider: Int] = [:]
        for provider in PushProvider.allCases { room[provider] = sender.room(for: provider) }
        let isDue = nextDue.map { $0 <= steady } ?? false
        guard !results.isEmpty || !plan.isEmpty || isDue && room.values.contains(where: { $0 > 0 }) else {
            // Nothing follows from who has left.
            if !hasOpenPlan { departures = [] }
            return try wait(pause(now: now, steady: steady))
        }
        try rest()
        try plan.removeStale(in: store, displaying: shared.displaying)
        try write(plan, room, now: now, steady: steady)
        restedAt = .now.advanced(by: PushLoop.pause)
    }

    /// What push services and the writer have answered.
    private func collect() {
        results.outcomes += inbox.drainOutcomes()
        guard let result = shared.announcements.takeResult() else { return }
        results.ends += result.ends
        isAnnouncing = false
        if result.plan != nil { hasOpenPlan = false }
        announce()
    }

    /// Gives the writer what waits for it, if it has nothing.
    private func announce() {
        guard !isAnnouncing, !next.isEmpty else { return }
        isAnnouncing = true
        shared.announcements.submit(next)
        next = PushAnnouncement()
    }

    private func read<Result>(_ body: (Snapshot, PushSnapshot) throws -> Result) throws -> Result {
        try store.read { snapshot in try pushes.read { try body(snapshot, $0) } }
    }

    private func planner(_ snapshot: Snapshot, _ pushes: PushSnapshot, now: Timestamp) -> PushPlanner {
        PushPlanner(
            snapshot: snapshot, pushes: pushes, settings: settings, people: shared.people, now: now,
            lastBadges: lastBadges)
    }

    // MARK: A plan

    private func decide(now: Timestamp, steady: Timestamp, steps: Int64) throws -> PushPlan {
        var plan = PushPlan()
        guard !hasOpenPlan, shared.people.isKnown || .now - startedAt >= PushLoop.longestUnknown else { return plan }
        if departures.isEmpty { departures = shared.people.drainDepartures(limit: PushLoop.departuresAtOnce) }
        plan = try read { snapshot, pushes in
            var plan = PushPlan()
            let planner = planner(snapshot, pushes, now: now)
            try planner.decide(snapshot.pushEvents.events(limit: PushPlanner.eventsAtOnce), into: &plan)
            try planner.decide(departures, steps: steps, into: &plan)
            if nextHoldEnd.map({ $0 <= now }) ?? false {
                let ended = try pushes.displays.endedHolds(at: now, limit: PushPlanner.eventsAtOnce)
                try planner.decide(ended, steady: steady, into: &plan)
            }
            return plan
        }
        return plan
    }

    private func write(
        _ plan: PushPlan, _ room: [PushProvider: Int], now: Timestamp, steady: Timestamp
    ) throws {
        let (ends, planned, begun) = try pushes.write(settings, counters, now: now, steady: steady) { queue in
            try queue.drop(results.dropped)
            try queue.record(results.ends)
            let ends = try queue.record(results.outcomes)
            let planned = plan.isEmpty ? nil : try queue.insert(plan)
            return (ends, planned, try queue.begin(room))
        }
        results = Results()
        (nextDue, nextHoldEnd) = (begun.nextDue, begun.nextHoldEnd)
        for id in begun.unreadable {
            logger.error("a job that cannot be read was removed", metadata: ["notification": "\(id)"])
        }
        next.ends += ends
        if let planned {
            departures.removeFirst(plan.departures)
            hasOpenPlan = true
            next.plan = planned.announcement
            shared.displaying.remove(planned.hidden)
            for clearance in planned.clearances {
                lastBadges[clearance.user] = clearance.isLast ? nil : clearance.badge
            }
        }
        announce()
        try send(begun.jobs)
        if let planned, let sink { try write(planned, to: sink) }
    }

    private func write(_ planned: PushQueue.Planned, to sink: PushSink) throws {
        guard !planned.notices.isEmpty || !planned.clearances.isEmpty else { return }
        let now = clock.now
        let notifications = try store.read { snapshot throws -> [PushNotification] in
            let feed = try snapshot.pushEvents.unreadNotifications(planned.notices.compactMap(\.feed))
            let notifications =
                planned.notices.compactMap { notice in
                    notice.topic
                        ?? notice.feed.flatMap { feed[$0] }.map { PushNotification($0, of: notice.user, at: now) }
                } + planned.clearances.map { $0.notification(at: now, lifetime: settings.pushDeadline) }
            let counts = try snapshot.unread.counts(notifications.map { .badge(of: $0.user, at: now) })
            return notifications.map { $0.counted(counts[.badge(of: $0.user, at: now)] ?? 0) }
        }
        sink.write(notifications)
    }

    // MARK: What is due

    private func send(_ begun: [PushJob]) throws {
        guard !begun.isEmpty else { return }
        // Read anew: the number is that of now.
        let now = clock.now
        var deliveries: [PushDelivery] = []
        do {
            let built = try read { snapshot, pushes in
                try BuildDeliveries(snapshot: snapshot, pushes: pushes, settings: settings, now: now).build(begun)
            }
            for one in built {
                switch one {
                case .delivery(let delivery):
                    deliveries.append(delivery)
                    // It goes to one device: others may display a greater number.
                    let (user, badge) = (delivery.notification.user, delivery.notification.badge.number)
                    if badge > 0 { lastBadges[user] = max(lastBadges[user] ?? 0, badge) }
                case .dropped(let job, let reason):
                    results.dropped.append((job, reason))
                }
            }
        } catch {
            // Nothing of it was sent: all of it is due again.
            for job in begun {
                inbox.add(
                    PushOutcome(id: job.id, registration: job.registration, answer: .notTried(after: .seconds(1))))
            }
            throw error
        }
        sender.submit(deliveries)
    }

    /// Removes what became of notifications long ago.
    private func removeTraces(at steady: Timestamp) throws {
        guard steady >= nextRemoval else { return }
        let count = try pushes.write { try $0.traces.removeExpired(at: steady, limit: PushLoop.removalsAtOnce) }
        nextRemoval = steady.advanced(by: count < PushLoop.removalsAtOnce ? .seconds(3600) : .milliseconds(100))
    }

    // MARK: Waiting

    private func rest() throws {
        var none: [WatchedDescriptor] = []
        while ContinuousClock.now < restedAt { try waitForEvents(&none, timeout: restedAt - .now) }
    }

    private func pause(now: Timestamp, steady: Timestamp) -> Duration {
        if shared.people.hasDepartures, shared.people.isKnown, !hasOpenPlan { return .zero }
        var pause = min(Duration.seconds(1), steady.duration(to: max(steady, nextRemoval)))
        // What finds no room is looked at again when something of it has come back.
        if let nextDue, nextDue > steady { pause = min(pause, steady.duration(to: nextDue)) }
        if let nextHoldEnd, nextHoldEnd > now { pause = min(pause, now.duration(to: nextHoldEnd)) }
        return pause
    }

    private func wait(_ pause: Duration) throws {
        guard results.isEmpty || pause >= .seconds(1) else { return }
        var watched = [WatchedDescriptor(inbox.arrived.descriptor)]
        try waitForEvents(&watched, timeout: max(pause, .milliseconds(1)))
    }
}
