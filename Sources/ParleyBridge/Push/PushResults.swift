import ParleyProtocol
import ParleyPush
import ParleyRules
import ParleyStore

/// What came of the jobs that were under way.
extension PushQueue {
    /// - Returns: registrations to end. The job of each stays under way until the main database has ended it.
    mutating func record(_ outcomes: [PushOutcome]) throws(StoreError) -> [PushAnnouncement.End] {
        let jobs = try heldJobs(outcomes.map(\.id))
        var ends: [PushAnnouncement.End] = []
        for outcome in outcomes {
            // A job is gone when its registration has ended meanwhile, or another gateway has taken it over.
            guard let job = jobs[outcome.id] else { continue }
            switch outcome.answer {
            case .accepted(let status):
                lags.append((job.provider, job.createdAt.duration(to: max(now, job.createdAt))))
                try finish(job, "accepted (\(status))", \.pushesSent)
                if job.provider.replacesEarlier { try removeSuperseded(by: job) }
            case .ended(let status, let since):
                ends.append(
                    PushAnnouncement.End(job: job, registration: outcome.registration, status: status, since: since))
            case .refused(let problem): try finish(job, "refused: \(problem)", \.pushesRefused)
            case .later(let problem, let after):
                count(\.pushesPostponed, of: job.provider)
                if problem.isUncertain { count(\.pushesUncertain, of: job.provider) }
                try postpone(job, problem, after: after)
            case .notTried(let after):
                try transaction.traces.takeBack(job.id)
                let due = steady.advanced(by: max(after, .milliseconds(50)))
                guard due < job.deadline else {
                    try finish(job, "too late", \.pushesDropped)
                    continue
                }
                try transaction.jobs.retry(job.id, at: due, attempts: max(0, job.attempts - 1), isUncertain: false)
            }
        }
        return ends
    }

    /// What the main database has made of registrations to end.
    mutating func record(
        _ ends: [(end: PushAnnouncement.End, result: PushAnnouncement.EndResult)]
    ) throws(StoreError) {
        let jobs = try heldJobs(ends.map(\.end.job.id))
        for (end, result) in ends {
            guard let job = jobs[end.job.id] else { continue }
            switch result {
            case .ended, .wasEnded: try finish(job, "registration ended (\(end.status))", \.pushesRefused)
            case .replaced:
                try transaction.jobs.retry(job.id, at: steady, attempts: job.attempts, isUncertain: false)
            case .remains:
                let problem = PushProblem(status: end.status, "no such registration (\(end.status))")
                try postpone(job, problem, after: nil)
            }
        }
    }

    /// Jobs that were marked as under way and not given to the sender.
    mutating func drop(_ dropped: [(job: PushJob, reason: String)]) throws(StoreError) {
        let held = try transaction.jobs.held(among: dropped.map(\.job.id))
        for (job, reason) in dropped where held.contains(job.id) {
            try transaction.traces.takeBack(job.id)
            try finish(job, reason, \.pushesDropped)
        }
    }

    /// The jobs of these ids that this gateway is sending.
    private func heldJobs(_ ids: [NotificationID]) throws(StoreError) -> [NotificationID: PushJob] {
        guard !ids.isEmpty else { return [:] }
        let held = try transaction.jobs.held(among: ids)
        return try transaction.facts.jobs.jobs(ids).filter { held.contains($0.key) }
    }

    private mutating func postpone(_ job: PushJob, _ problem: PushProblem, after: Duration?) throws(StoreError) {
        let due = PushRetry.next(
            afterAttempt: job.attempts - 1, retryAfter: after, random: .random(in: 0...UInt64.max), now: steady,
            deadline: job.deadline)
        guard let due else { return try finish(job, "too late: \(problem)", \.pushesDropped) }
        try transaction.jobs.retry(job.id, at: due, attempts: job.attempts, isUncertain: problem.isUncertain)
        try transaction.traces.answer(
            job.id, "to be tried again: \(problem)", isUncertain: problem.isUncertain, at: now)
        // A later job of the conversation says all that this one does, once it is accepted.
        let hasLater = try hasLater(than: job)
        if hasLater || job.attempts >= PushRetry.attemptsInLine { try transaction.jobs.bypass(job, now: steady) }
        // Of a conversation only the last bypassed job is kept: in an outage there would be many.
        if hasLater { try removeSuperseded(by: job) }
    }

    /// Removes earlier bypassed jobs of the conversation.
    private mutating func removeSuperseded(by job: PushJob) throws(StoreError) {
        for id in try transaction.jobs.removeBypassed(by: job, now: steady) {
            try drop(id, "superseded by a later message", of: job.provider)
        }
    }

    /// Whether a job that would replace this one on the device waits or is under way. It may still be dropped or
    /// refused.
    func hasLater(than job: PushJob) throws(StoreError) -> Bool {
        guard job.provider.replacesEarlier else { return false }
        return try transaction.facts.jobs.hasLater(than: job)
    }

    /// The job is over, and the next one of its device is due.
    mutating func finish(
        _ job: PushJob, _ answer: String, _ counter: KeyPath<Counters, Counter>
    ) throws(StoreError) {
        count(counter, of: job.provider)
        try transaction.jobs.finish(job.id, now: steady)
        try transaction.traces.answer(job.id, answer, isUncertain: false, at: now)
    }
}
