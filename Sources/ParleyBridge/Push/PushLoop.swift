import Logging
import ParleyProtocol
import ParleyPush
import ParleyRules
import ParleyStore
import Platform

/// Sends notifications to push services.
protocol PushSending: Sendable {
    /// How many more deliveries to a provider it takes.
    func room(for provider: PushProvider) -> Int
    /// Begins deliveries, and never waits. Each has an outcome.
    func submit(_ deliveries: [PushDelivery])
}

/// The thread of pushes, which writes the database of pushes: it decides whom to notify, sends jobs that are due and
/// records their outcomes.
///
/// It reads the main database on snapshots. One plan is open at a time: the next is decided when the writer has carried
/// out the last. Outcomes are recorded and jobs sent meanwhile.
final class PushLoop {
    private let store: Store
    private let pushes: PushStore
    private let settings: Settings
    private let inbox: PushInbox
    private let shared: PushShared
    private let sender: any PushSending
    private let sink: PushSink?
    private let clock: MachineClock
    private let counters: Counters
    private let logger: Logger
    private var report: RecurringReport

    /// Results that are not written yet.
    private struct Results {
        var outcomes: [PushOutcome] = []
        var dropped: [(job: PushJob, reason: String)] = []
        var ends: [(end: PushAnnouncement.End, result: PushAnnouncement.EndResult)] = []

        var isEmpty: Bool { outcomes.isEmpty && dropped.isEmpty && ends.isEmpty }
    }

    private var results = Results()
    /// The next announcement, and whether the writer still has the last.
    private var next = PushAnnouncement()
    private var isAnnouncing = false
    /// Whether a plan is written that the writer has not carried out.
    private var hasOpenPlan = false
    private var departures: [ConnectedPeople.Departure] = []
    /// The greatest badges that devices may display; none are known after a start.
    private var lastBadges: [UserID: Int] = [:]
    /// By the steady time.
    private var nextDue: Timestamp? = .earliest
    private var nextRemoval: Timestamp = .earliest
    /// By the time of day.
    private var nextHoldEnd: Timestamp? = .earliest
    private let startedAt = ContinuousClock.now
    /// When the next transaction may begin.
    private var restedAt = ContinuousClock.now
    /// When the lease is next extended, and what other gateways have left is looked for.
    private var lookAt = ContinuousClock.now
    private var looksForEvents = false
    /// When it is next counted how many notifications wait.
    private var countAt = ContinuousClock.now

    /// How long after the start the first report of who is connected is waited for. Without one nobody counts as
    /// connected.
    static let longestUnknown = Duration.seconds(30)
    private static let countInterval = Duration.seconds(5)
    /// Between two transactions, so that outcomes are written together.
    static let pause = Duration.milliseconds(10)
    /// So often in succession it is nothing to speak of that another gateway was in the way.
    private static let mostConflicts = 10
    /// How long after somebody has left it is decided what they have missed, where other gateways decide, too.
    static let departureDelay = Duration.seconds(3)
    /// The most departures of a plan: when the broker restarts everybody may have left.
    static let departuresAtOnce = 16
    /// The most traces that are removed at once.
    static let removalsAtOnce = 256

    init(
        store: Store, pushes: PushStore, settings: Settings, inbox: PushInbox, shared: PushShared,
        sender: any PushSending,
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

    /// Decides and sends until the inbox is closed. Outcomes that are not written by then go back into it.
    func run() throws {
        defer { for outcome in results.outcomes { inbox.add(outcome) } }
        var isResumed = false
        var conflicts = 0
        while !inbox.isClosed {
            do {
                if !isResumed {
                    try resume()
                    isResumed = true
                }
                try step()
                report.end("pushes are decided again")
                conflicts = 0
            } catch StoreError.conflict where conflicts < PushLoop.mostConflicts {
                // Another gateway has decided the same. What is left is decided anew.
                conflicts += 1
                restedAt = .now.advanced(by: PushLoop.pause)
                try rest()
            } catch {
                report.add("pushes could not be decided", StoreError(error))
                restedAt = .now.advanced(by: .seconds(1))
                try rest()
            }
        }
    }

    /// Announces the plan of an earlier process, if it is not carried out.
    private func resume() throws {
        guard !pushes.isShared, let plan = try pushes.read({ try $0.plans.last() }),
            try store.read({ try $0.pushLink.plan() }) < plan.number
        else { return }
        try open(plan)
    }

    private func open(_ plan: PushPlanRecord) throws {
        next.plan = try read { try planner($0, $1, now: clock.now).announcement(plan) }
        hasOpenPlan = true
        announce()
    }

    private func step() throws {
        inbox.arrived.drain()
        let moment = pushes.moment(of: clock)
        let (now, steady) = (moment.now, moment.steady)
        try removeTraces(at: steady)
        try countWaiting()
        collect()
        let looks = pushes.isShared && ContinuousClock.now >= lookAt
        // What others have left to be published comes before another plan.
        var plan = looks ? PushPlan() : try decide(now: now, steady: steady, steps: moment.clockOffset)
        let room = Dictionary(uniqueKeysWithValues: PushProvider.allCases.map { ($0, sender.room(for: $0)) })
        let isDue = nextDue.map { $0 <= steady } ?? false
        guard looks || !results.isEmpty || !plan.isEmpty || isDue && room.values.contains(where: { $0 > 0 }) else {
            // The departures have led to nothing.
            if !hasOpenPlan { departures = [] }
            return try wait(pause(now: now, steady: steady))
        }
        try rest()
        if !pushes.isShared { try plan.removeStale(in: store, displaying: shared.displaying) }
        try write(plan, room, now: now, steady: steady, looks: looks)
        restedAt = .now.advanced(by: PushLoop.pause)
    }

    /// Collects outcomes and the writer's result.
    private func collect() {
        results.outcomes += inbox.drainOutcomes()
        guard let result = shared.announcements.takeResult() else { return }
        results.ends += result.ends
        isAnnouncing = false
        if result.plan != nil { hasOpenPlan = false }
        announce()
    }

    /// Submits the next announcement, unless the writer still has the last.
    private func announce() {
        guard !isAnnouncing, !next.isEmpty else { return }
        isAnnouncing = true
        shared.announcements.submit(next)
        next = PushAnnouncement()
    }

    private func read<Result>(_ body: (Snapshot, PushSnapshot) throws -> Result) throws -> Result {
        try store.read { snapshot in try pushes.read(beside: snapshot) { try body(snapshot, $0) } }
    }

    private func planner(_ snapshot: Snapshot, _ pushes: PushSnapshot, now: Timestamp) -> PushPlanner {
        PushPlanner(
            snapshot: snapshot, pushes: pushes, settings: settings, people: shared.people, cells: store.cells,
            sharesPushes: self.pushes.isShared, now: now,
            // Another gateway may have sent a greater one.
            lastBadges: self.pushes.isShared ? [:] : lastBadges)
    }

    // MARK: A plan

    private func decide(now: Timestamp, steady: Timestamp, steps: Int64) throws -> PushPlan {
        guard !hasOpenPlan, shared.people.isKnown || .now - startedAt >= PushLoop.longestUnknown else {
            return PushPlan()
        }
        if departures.isEmpty {
            departures = shared.people.drainDepartures(
                limit: PushLoop.departuresAtOnce, until: latestDeparture(at: now))
        }
        return try read { snapshot, pushes in
            var plan = PushPlan()
            let planner = planner(snapshot, pushes, now: now)
            try planner.decide(try eventsOfOthers(in: snapshot), into: &plan)
            try planner.decide(snapshot.pushEvents.events(limit: PushPlanner.eventsAtOnce), into: &plan)
            try planner.decide(departures, steps: steps, into: &plan)
            if nextHoldEnd.map({ $0 <= now }) ?? false {
                let ended = try pushes.displays.endedHolds(at: now, limit: PushPlanner.eventsAtOnce)
                try planner.decide(ended, steady: steady, into: &plan)
            }
            return plan
        }
    }

    /// The events of gateways that are gone, once after each look.
    private func eventsOfOthers(in snapshot: Snapshot) throws(StoreError) -> [PushEvent] {
        guard looksForEvents, let cells = store.cells else { return [] }
        let here = try cells.states(in: snapshot).filter { $0.isLive || $0.number == cells.own }
        let events = try snapshot.pushEvents.events(
            besides: here.map { Stream(cell: $0.number) }, limit: PushPlanner.eventsAtOnce)
        looksForEvents = events.count == PushPlanner.eventsAtOnce
        return events
    }

    /// Other gateways take somebody for connected here until that is stored: by then their decisions are, too.
    private func latestDeparture(at now: Timestamp) -> Timestamp {
        pushes.isShared ? now.advanced(by: .zero - PushLoop.departureDelay) : .latest
    }

    /// - Parameter looks: whether to take over what gateways have left that are gone.
    private func write(
        _ plan: PushPlan, _ room: [PushProvider: Int], now: Timestamp, steady: Timestamp, looks: Bool
    ) throws {
        let isOpen = hasOpenPlan
        var (lost, left): (Int, PushPlanRecord?) = (0, nil)
        let (ends, planned, begun) = try pushes.write(settings, counters, now: now, steady: steady) { queue in
            if looks {
                lost = try queue.transaction.jobs.resume(now: steady)
                left = isOpen ? nil : try queue.transaction.plans.takeOver()
            }
            try queue.drop(results.dropped)
            try queue.record(results.ends)
            let ends = try queue.record(results.outcomes)
            var plan = plan
            try plan.removeStale(in: queue.transaction)
            let planned = plan.isEmpty ? nil : try queue.insert(plan)
            return (ends, planned, try queue.begin(room))
        }
        results = Results()
        if looks {
            lookAt = .now.advanced(by: PushLease.interval)
            looksForEvents = true
        }
        if lost > 0 { counters.report(lost, logger) }
        (nextDue, nextHoldEnd) = (begun.nextDue, begun.nextHoldEnd)
        for id in begun.unreadable {
            logger.error("a job that cannot be read was removed", metadata: ["notification": "\(id)"])
        }
        next.ends += ends
        if let planned {
            departures.removeFirst(plan.departures)
            hasOpenPlan = true
            next.plan = planned.announcement
            if pushes.isShared { shared.displaying.insert(Set(planned.notices.map(\.user))) }
            shared.displaying.remove(planned.hidden)
            for clearance in planned.clearances {
                lastBadges[clearance.user] = clearance.isLast ? nil : clearance.badge
            }
        }
        announce()
        try send(begun.jobs)
        if let left { try open(left) }
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

    // MARK: Jobs that are due

    private func send(_ begun: [PushJob]) throws {
        guard !begun.isEmpty else { return }
        // On a new snapshot, with the badge of now.
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
                    // It goes to one device: others may display a greater badge.
                    let (user, badge) = (delivery.notification.user, delivery.notification.badge.number)
                    if badge > 0 { lastBadges[user] = max(lastBadges[user] ?? 0, badge) }
                case .dropped(let job, let reason):
                    results.dropped.append((job, reason))
                }
            }
        } catch {
            // Nothing was sent: all jobs are due again.
            for job in begun {
                inbox.add(
                    PushOutcome(id: job.id, registration: job.registration, answer: .notTried(after: .seconds(1))))
            }
            throw error
        }
        sender.submit(deliveries)
    }

    private func removeTraces(at steady: Timestamp) throws {
        guard steady >= nextRemoval else { return }
        let count = try pushes.write { try $0.traces.removeExpired(at: steady, limit: PushLoop.removalsAtOnce) }
        nextRemoval = steady.advanced(by: count < PushLoop.removalsAtOnce ? .seconds(3600) : .milliseconds(100))
    }

    private func countWaiting() throws {
        guard ContinuousClock.now >= countAt else { return }
        countAt = .now.advanced(by: PushLoop.countInterval)
        try counters.countWaiting(in: pushes)
    }

    // MARK: Waiting

    private func rest() throws {
        var none: [WatchedDescriptor] = []
        while ContinuousClock.now < restedAt { try waitForEvents(&none, timeout: restedAt - .now) }
    }

    private func pause(now: Timestamp, steady: Timestamp) -> Duration {
        if shared.people.hasDepartures(until: latestDeparture(at: now)), shared.people.isKnown, !hasOpenPlan {
            return .zero
        }
        var pause = min(Duration.seconds(1), steady.duration(to: max(steady, nextRemoval)))
        // A job without room is looked at again when an outcome has made some.
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
