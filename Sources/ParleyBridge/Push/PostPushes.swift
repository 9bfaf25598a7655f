import Logging
import ParleyProtocol
import ParleyPush
import ParleyRules
import ParleyStore

extension Writer {
    var pushes: PostPushes { PostPushes(writer: self) }
}

/// Writes what was decided of pushes and what came of them, in one transaction, and begins those that are due.
///
/// A notification is under way only after that is committed: what a process leaves under way when it is killed may have
/// arrived, and is sent again under the same id; everything else has not been sent.
struct PostPushes {
    let writer: Writer

    func carryOut(_ posting: PushPosting, now: Timestamp) -> (PushPosting.Result, Effects) {
        do throws(StoreError) {
            let (result, effects) = try writer.write(now: now) { batch throws(StoreError) in
                let posted = PostedPushes(batch: batch, counters: writer.counters)
                try posted.settle(posting)
                let (notified, cleared) = (try posted.notify(posting), try posted.clear(posting.clearances))
                // What was read before a message came is cleared before that is told of.
                try posted.insert((notified.jobs + cleared.jobs).sorted { $0.position < $1.position })
                var result = try posted.begin(posting.room)
                (result.notified, result.cleared) = (notified.notices, cleared.clearances)
                return result
            }
            writer.counters.batches.add(1)
            writer.counters.pushesDropped.add(posting.undecidable)
            writer.report.end("the database can be written again")
            return (result, effects)
        } catch {
            writer.counters.failedBatches.add(1)
            writer.report.add("pushes could not be written", error)
            return (.failed, Effects())
        }
    }
}

/// One posting, in its transaction.
private struct PostedPushes {
    let batch: Batch
    let counters: Counters

    private var settings: Settings { batch.environment.settings }
    private var steady: Timestamp { batch.steady }

    // MARK: What came of those that were under way

    func settle(_ posting: PushPosting) throws(StoreError) {
        for dropped in posting.dropped {
            counters.pushesDropped.add(1)
            try settlement.drop(dropped.job, dropped.reason)
        }
        guard !posting.outcomes.isEmpty else { return }
        let jobs = try batch.facts().pushJobs.jobs(posting.outcomes.map(\.id))
        for outcome in posting.outcomes {
            // Nothing is left of a device that was revoked, or whose address is another's now.
            guard let job = jobs[outcome.id] else { continue }
            try settle(job, outcome)
        }
    }

    private func settle(_ job: PushJob, _ outcome: PushOutcome) throws(StoreError) {
        if case .later(let problem, _) = outcome.answer {
            counters.pushesPostponed.add(1)
            if problem.isUncertain { counters.pushesUncertain.add(1) }
        }
        switch try settlement.settle(job, outcome) {
        case .sent(let passed):
            counters.pushesSent.add(1)
            counters.pushesDropped.add(passed)
        case .refused: counters.pushesRefused.add(1)
        case .ended(let end):
            counters.pushesRefused.add(1)
            try batch.publish(end)
        case .givenUp: counters.pushesDropped.add(1)
        case .dueAgain(let passed): counters.pushesDropped.add(passed)
        }
    }

    private var settlement: SettlePushes {
        get throws(StoreError) {
            SettlePushes(transaction: try batch.writable(), now: batch.now, steady: steady)
        }
    }

    private func give(up job: PushJob, _ reason: String) throws(StoreError) {
        counters.pushesDropped.add(1)
        try settlement.finish(job, reason)
    }

    // MARK: What was decided

    /// - Returns: what is to be sent, and what of the posting it is of.
    func notify(
        _ posting: PushPosting
    ) throws(StoreError) -> (jobs: [PushJob], notices: [PushPosting.Notice]) {
        try batch.writable().pushEvents.remove(posting.decided)
        try batch.writable().pushJobs.hold(posting.holds)
        try batch.writable().pushJobs.removeHolds(of: posting.digested)
        try insert(posting.traces)
        let notices = try stillDue(posting.notices)
        var (jobs, traces): ([PushJob], [PushTrace]) = ([], [])
        for notice in notices {
            if let topic = notice.topic {
                try batch.publish(topic, unread: .badge(of: notice.user, at: batch.now))
            }
            for (id, registration) in notice.devices {
                jobs.append(job(id, notice, registration))
                traces.append(
                    PushTrace(
                        id: id, message: notice.place?.message, user: notice.user, device: registration.device.device,
                        provider: registration.target.provider, type: notice.type,
                        decision: PushRules.Decision.notify.name, decidedAt: batch.now))
            }
        }
        try insert(traces)
        // Of what is no message their devices show the number.
        let shown = notices.map { (user: $0.user, conversation: $0.place?.conversation, seq: $0.place?.seq ?? 0) }
        try batch.writable().pushJobs.setShown(shown)
        batch.afterCommit.push.shown += notices.map(\.user)
        return (jobs, notices)
    }

    /// Those of messages that were neither read nor removed since it was decided, nor are for a member who is gone or between whom
    /// and the sender there is a block.
    private func stillDue(_ notices: [PushPosting.Notice]) throws(StoreError) -> [PushPosting.Notice] {
        let read = try batch.facts().pushJobs.readSeqs(notices.compactMap(\.recipient))
        let present = try batch.facts().pushJobs.present(at: notices.filter { $0.place != nil }.map(\.position))
        return notices.filter { notice in
            guard let place = notice.place, let recipient = notice.recipient else { return true }
            return present.contains(notice.position) && read[recipient].map { $0 < place.seq } ?? false
        }
    }

    private func job(
        _ id: NotificationID, _ notice: PushPosting.Notice, _ registration: PushRegistration
    ) -> PushJob {
        PushJob(
            id: id, device: registration.device, position: notice.position, registration: registration.number,
            provider: registration.target.provider, type: notice.type, conversation: notice.place?.conversation,
            seq: notice.place?.seq, notification: notice.feed, isUrgent: notice.isUrgent,
            createdAt: notice.createdAt, deadline: notice.steadyAt.advanced(by: settings.pushDeadline))
    }

    func insert(_ jobs: [PushJob]) throws(StoreError) {
        counters.pushesDropped.add(try batch.writable().enqueue(jobs, now: batch.now, steady: steady))
    }

    private func insert(_ traces: [PushTrace]) throws(StoreError) {
        try batch.writable().pushTraces.insert(traces, removal: steady.advanced(by: settings.pushTraceLifetime))
    }

    /// - Returns: what is to be sent: of what was not shown, only where devices show a greater number; and what of the clearances
    ///   it is of.
    func clear(
        _ clearances: [PushPosting.Clearance]
    ) throws(StoreError) -> (jobs: [PushJob], clearances: [PushPosting.Clearance]) {
        var (jobs, done): ([PushJob], [PushPosting.Clearance]) = ([], [])
        for clearance in clearances {
            let wasShown = try batch.writable().pushJobs.clearShown(
                to: clearance.user, of: clearance.conversation, upTo: clearance.seq)
            guard wasShown || !clearance.isNumberTold else { continue }
            done.append(clearance)
            // A message that is gone is announced by itself.
            if clearance.message == nil { try publish(clearance) }
            jobs +=
                clearance.devices.map { id, registration in
                    PushJob(
                        id: id, device: registration.device, position: clearance.position,
                        registration: registration.number, provider: registration.target.provider, type: .clear,
                        conversation: clearance.conversation, seq: clearance.seq, message: clearance.message,
                        isUrgent: false, createdAt: clearance.createdAt,
                        deadline: clearance.steadyAt.advanced(by: settings.pushDeadline))
                }
        }
        // Only when all of them were asked for what was shown.
        for user in Set(clearances.lazy.filter(\.isLast).map(\.user)) {
            try batch.writable().pushJobs.removeShown(to: user)
            batch.afterCommit.push.cleared.append(user)
        }
        return (jobs, done)
    }

    private func publish(_ clearance: PushPosting.Clearance) throws(StoreError) {
        let event = NotificationsCleared(
            ids: [], conversation: clearance.log.conversation, epoch: clearance.log.epoch, seq: clearance.seq,
            unreadCount: try batch.facts().notifications.unreadCount(of: clearance.user), badge: .countedLater,
            at: batch.now)
        try batch.publish(event, to: clearance.user, unread: .badge(of: clearance.user, at: batch.now))
    }

    // MARK: What is due

    /// Whether one that is due is to be sent now.
    ///
    /// - Parameter hasTurn: whether its user has fewer under way than they may.
    private func isToBegin(_ job: PushJob, hasTurn: Bool) throws(StoreError) -> Bool {
        guard job.deadline > steady else {
            try give(up: job, "too late")
            return false
        }
        guard hasTurn else {
            let age = job.createdAt.duration(to: batch.now)
            try putOff(job, by: PushRetry.pauseForTurn(standsAside: job.standsAside, age: age))
            return false
        }
        // Two of a conversation that are under way at the same time might be shown in any order. What stands aside does so until
        // what follows it was taken, which removes it, or was not.
        let pause: Duration
        if job.standsAside {
            guard try settlement.hasLater(than: job) else { return true }
            pause = PushRetry.pauseAside
        } else {
            guard job.provider.collapses, try batch.facts().pushJobs.isEarlierUnderWay(than: job) else { return true }
            pause = .seconds(1)
        }
        try putOff(job, by: pause)
        return false
    }

    private func putOff(_ job: PushJob, by pause: Duration) throws(StoreError) {
        try batch.writable().pushJobs.retry(
            job.id, at: steady.advanced(by: pause), attempts: job.attempts, isUncertain: false)
    }

    func begin(_ room: [PushProvider: Int]) throws(StoreError) -> PushPosting.Result {
        var begun: [PushJob] = []
        var nextDue: Timestamp?
        for provider in PushProvider.allCases {
            guard let room = room[provider], room > 0 else { continue }
            let due = try batch.facts().pushJobs.due(for: provider, at: steady, limit: room)
            guard !due.isEmpty else { continue }
            var underWay = try batch.facts().pushJobs.underWay(for: provider)
            for job in due {
                let hasTurn = underWay[job.device.user, default: 0] < settings.pushesOfUser
                guard try isToBegin(job, hasTurn: hasTurn) else { continue }
                underWay[job.device.user, default: 0] += 1
                begun.append(job)
            }
        }
        try batch.writable().pushJobs.begin(begun.map(\.id))
        try batch.writable().pushTraces.begin(begun.map(\.id), at: batch.now)
        for provider in PushProvider.allCases where room[provider] ?? 0 > 0 {
            guard let next = try batch.facts().pushJobs.nextDue(for: provider) else { continue }
            nextDue = min(nextDue ?? next, next)
        }
        for index in begun.indices { begun[index].attempts += 1 }
        return PushPosting.Result(
            isCommitted: true, begun: begun, nextDue: nextDue, nextHoldEnd: try batch.facts().pushJobs.nextHoldEnd())
    }
}

extension WriteTransaction {
    /// Adds notifications to what is on its way.
    ///
    /// - Returns: how many wait no more, because too many do for their device.
    func enqueue(_ jobs: [PushJob], now: Timestamp, steady: Timestamp) throws(StoreError) -> Int {
        let dropped = try pushJobs.insert(jobs, now: steady)
        for id in dropped {
            try pushTraces.answer(id, "too many wait for the device", isUncertain: false, at: now)
        }
        return dropped.count
    }
}

extension PushPosting.Notice {
    /// Of a message.
    fileprivate var recipient: PushJobQueries.Recipient? {
        place.map { PushJobQueries.Recipient(user: user, conversation: $0.conversation, sender: $0.sender) }
    }
}

extension PushProvider {
    /// Whether a later notification of a conversation takes the place of an earlier one on the device.
    var collapses: Bool {
        switch self {
        case .apns, .fcm, .webpush: true
        case .webhook: false
        }
    }
}
