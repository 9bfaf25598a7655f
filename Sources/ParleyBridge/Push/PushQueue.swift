import ParleyProtocol
import ParleyPush
import ParleyRules
import ParleyStore

/// Writes the results of attempts, the jobs of a plan and the attempts that begin, in one transaction of the database
/// of pushes.
///
/// A job is committed as under way before it is sent. So after a kill a job that is under way may have reached its
/// device, and is sent again under the same id; no other job was sent. Where several gateways send, only the one that
/// holds a job records what came of it.
struct PushQueue {
    let transaction: PushTransaction
    let settings: Settings
    let now: Timestamp
    /// The steady time.
    let steady: Timestamp
    /// What the counters are raised by when the transaction is committed.
    fileprivate(set) var counts: [KeyPath<Counters, Counter>: Int] = [:]

    /// The same of single services.
    fileprivate(set) var serviceCounts: [PushProvider: [KeyPath<Counters, Counter>: Int]] = [:]
    /// How late services have accepted notifications.
    var lags: [(service: PushProvider, lag: Duration)] = []

    /// - Parameter service: where it is known.
    mutating func count(_ counter: KeyPath<Counters, Counter>, _ amount: Int = 1, of service: PushProvider?) {
        counts[counter, default: 0] += amount
        if let service { serviceCounts[service, default: [:]][counter, default: 0] += amount }
    }

    /// Says in its trace why a notification is not sent.
    mutating func drop(
        _ id: NotificationID, _ reason: String, of service: PushProvider? = nil
    ) throws(StoreError) {
        count(\.pushesDropped, of: service)
        try transaction.traces.answer(id, reason, isUncertain: false, at: now)
    }

    // MARK: Plans

    /// A plan that is written.
    struct Planned {
        let announcement: PushAnnouncement.Plan
        let notices: [PushPlan.Notice]
        let clearances: [PushPlan.Clearance]
        /// Users whose devices display nothing.
        let hidden: Set<UserID>
    }

    /// - Parameter plan: without stale notices.
    mutating func insert(_ plan: PushPlan) throws(StoreError) -> Planned {
        count(\.pushesDropped, plan.undecidable, of: nil)
        for (device, registration) in plan.endedRegistrations {
            try transaction.jobs.removeAll(of: device, besides: registration, at: now, steady: steady)
        }
        for registration in plan.newRegistrations { try transaction.jobs.redirect(to: registration) }
        for user in plan.changedQuietHours { try transaction.displays.endHold(of: user, at: now) }
        try transaction.displays.hold(plan.holds)
        try transaction.displays.removeHolds(of: plan.digested)
        try insert(plan.traces)
        for id in plan.unreachable {
            try transaction.traces.answer(id, "the device is not registered any more", isUncertain: false, at: now)
        }
        let notified = jobs(plan.notices + plan.tests)
        try insert(notified.traces)
        // Of what is no message devices display the badge alone.
        try transaction.displays.set(
            plan.notices.map { (user: $0.user, conversation: $0.entry?.conversation, seq: $0.entry?.seq ?? 0) })
        let (cleared, clearances) = try clear(plan.clearances)
        // A clearance of what came earlier is sent before a message.
        let jobs = (notified.jobs + cleared).sorted { $0.position < $1.position }
        for id in try transaction.jobs.insert(jobs, now: steady) { try drop(id, "too many wait for the device") }
        return try announce(plan, clearances)
    }

    private func jobs(_ notices: [PushPlan.Notice]) -> (jobs: [PushJob], traces: [PushTrace]) {
        var (jobs, traces): ([PushJob], [PushTrace]) = ([], [])
        for notice in notices {
            for (id, registration) in notice.devices {
                jobs.append(
                    PushJob(
                        id: id, device: registration.device, position: notice.origin.position,
                        registration: registration.number, provider: registration.target.provider, type: notice.type,
                        conversation: notice.entry?.conversation, seq: notice.entry?.seq, notification: notice.feed,
                        isUrgent: notice.isUrgent, createdAt: notice.origin.createdAt,
                        deadline: notice.origin.steadyAt.advanced(by: settings.pushDeadline)))
                traces.append(
                    PushTrace(
                        id: id, message: notice.entry?.message, user: notice.user, device: registration.device.device,
                        provider: registration.target.provider, type: notice.type,
                        decision: PushRules.Decision.notify.name, decidedAt: now))
            }
        }
        return (jobs, traces)
    }

    private func insert(_ traces: [PushTrace]) throws(StoreError) {
        try transaction.traces.insert(traces, removal: steady.advanced(by: settings.pushTraceLifetime))
    }

    /// - Returns: the clearances of what was displayed, or that lower a badge, and their jobs.
    private func clear(
        _ clearances: [PushPlan.Clearance]
    ) throws(StoreError) -> (jobs: [PushJob], clearances: [PushPlan.Clearance]) {
        var (jobs, done): ([PushJob], [PushPlan.Clearance]) = ([], [])
        for clearance in clearances {
            let wasDisplayed = try transaction.displays.clear(
                to: clearance.user, of: clearance.conversation, upTo: clearance.seq)
            guard wasDisplayed || !clearance.isBadgeSent else { continue }
            done.append(clearance)
            jobs += clearance.devices.map { id, registration in
                PushJob(
                    id: id, device: registration.device, position: clearance.origin.position,
                    registration: registration.number, provider: registration.target.provider, type: .clear,
                    conversation: clearance.conversation, seq: clearance.seq, message: clearance.message,
                    isUrgent: false, createdAt: clearance.origin.createdAt,
                    deadline: clearance.origin.steadyAt.advanced(by: settings.pushDeadline))
            }
        }
        // After all of them have looked what is displayed.
        for user in Set(clearances.lazy.filter(\.isLast).map(\.user)) { try transaction.displays.remove(to: user) }
        return (jobs, done)
    }

    /// Writes the main database's part of a plan.
    private func announce(
        _ plan: PushPlan, _ clearances: [PushPlan.Clearance]
    ) throws(StoreError) -> Planned {
        var announcement = PushAnnouncement.Plan(
            number: try transaction.facts.plans.lastNumber() + 1, decidedThrough: plan.decided.last)
        var rows: [PushAnnouncementRecord] = []
        for notice in plan.notices {
            guard let topic = notice.topic else { continue }
            announcement.topics.append((topic, notice.entry))
            rows.append(
                PushAnnouncementRecord(
                    id: topic.id, user: notice.user, kind: notice.entry.map { .message($0.position) } ?? .digest,
                    createdAt: notice.origin.createdAt))
        }
        // The event of a removed message is on its topic already.
        for clearance in clearances where clearance.message == nil {
            let id = NotificationID(.ordered(at: now))
            announcement.clearances.append((id, clearance.user, clearance.log, clearance.seq))
            rows.append(
                PushAnnouncementRecord(
                    id: id, user: clearance.user,
                    kind: .clearance(clearance.conversation, seq: clearance.seq), createdAt: clearance.origin.createdAt)
            )
        }
        try transaction.plans.set(
            PushPlanRecord(
                number: announcement.number, decidedThrough: plan.decided.last, decided: plan.decided,
                announcements: rows))
        let users = plan.candidates.union(plan.clearances.lazy.filter(\.isLast).map(\.user))
        return Planned(
            announcement: announcement, notices: plan.notices, clearances: clearances,
            hidden: users.subtracting(try transaction.facts.displays.users(among: users)))
    }

    // MARK: Jobs that are due

    /// Whether a job that is due is sent now.
    ///
    /// - Parameter hasTurn: whether its user may have another job under way.
    private mutating func isToBegin(_ job: PushJob, hasTurn: Bool) throws(StoreError) -> Bool {
        guard job.deadline > steady else {
            try finish(job, "too late", \.pushesDropped)
            return false
        }
        guard hasTurn else {
            let age = job.createdAt.duration(to: now)
            try putOff(job, by: PushRetry.pauseForTurn(isBypassed: job.isBypassed, age: age))
            return false
        }
        // Two jobs of a conversation that are under way at once might be displayed in any order. A bypassed job waits
        // for the answer to the later one, which removes it if that is accepted.
        let pause: Duration
        if job.isBypassed {
            guard try hasLater(than: job) else { return true }
            pause = PushRetry.pauseOfBypassed
        } else {
            guard job.provider.replacesEarlier, try transaction.facts.jobs.isEarlierUnderWay(than: job) else {
                return true
            }
            pause = .seconds(1)
        }
        try putOff(job, by: pause)
        return false
    }

    private func putOff(_ job: PushJob, by pause: Duration) throws(StoreError) {
        try transaction.jobs.retry(job.id, at: steady.advanced(by: pause), attempts: job.attempts, isUncertain: false)
    }

    /// What the commit of the transaction begins.
    struct Begun {
        /// The jobs that are under way from then on.
        var jobs: [PushJob] = []
        /// When the next job is due, by the steady time; `nil` for none.
        var nextDue: Timestamp?
        /// When quiet hours next end, by the time of day.
        var nextHoldEnd: Timestamp?
        /// Jobs that were removed because their rows cannot be read.
        var unreadable: [NotificationID] = []
    }

    /// - Parameter room: how many deliveries the sender takes.
    mutating func begin(_ room: [PushProvider: Int]) throws(StoreError) -> Begun {
        var begun = Begun(nextHoldEnd: try transaction.facts.displays.nextHoldEnd())
        let facts = transaction.facts.jobs
        let providers = PushProvider.allCases.filter { room[$0] ?? 0 > 0 }
        for provider in providers {
            let due = try facts.due(for: provider, at: steady, limit: room[provider] ?? 0)
            for id in due.unreadable {
                try transaction.jobs.finish(id, now: steady)
                try drop(id, "its job cannot be read", of: provider)
            }
            begun.unreadable += due.unreadable
            guard !due.jobs.isEmpty else { continue }
            var underWay = try facts.underWay(for: provider)
            for job in due.jobs {
                let hasTurn = underWay[job.device.user, default: 0] < settings.pushesOfUser
                guard try isToBegin(job, hasTurn: hasTurn) else { continue }
                underWay[job.device.user, default: 0] += 1
                begun.jobs.append(job)
            }
        }
        try transaction.jobs.begin(begun.jobs.map(\.id))
        try transaction.traces.begin(begun.jobs.map(\.id), at: now)
        for provider in providers {
            guard let next = try facts.nextDue(for: provider) else { continue }
            begun.nextDue = min(begun.nextDue ?? next, next)
        }
        for index in begun.jobs.indices { begun.jobs[index].attempts += 1 }
        return begun
    }
}

extension PushStore {
    /// One transaction of the thread of pushes. The counters are raised after its commit: one that fails is repeated.
    func write<Result>(
        _ settings: Settings, _ counters: Counters, now: Timestamp, steady: Timestamp,
        _ body: (inout PushQueue) throws -> Result
    ) throws(StoreError) -> Result {
        let (result, queue) = try write { transaction in
            var queue = PushQueue(transaction: transaction, settings: settings, now: now, steady: steady)
            return (try body(&queue), queue)
        }
        for (counter, amount) in queue.counts { counters[keyPath: counter].add(amount) }
        for (service, counts) in queue.serviceCounts {
            for (_, total, own) in PushServiceMetrics.outcomes {
                if let amount = counts[total] { counters.services[service]?[keyPath: own].add(amount) }
            }
        }
        for (service, lag) in queue.lags { counters.recordPush(by: service, lag: lag) }
        return result
    }
}
