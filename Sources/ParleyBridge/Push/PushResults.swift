import ParleyProtocol
import ParleyPush
import ParleyRules
import ParleyStore

/// Writes what came of notifications that were under way: while the gateway runs, and of the last ones when it ends.
struct PushResults {
    let transaction: PushTransaction
    let now: Timestamp
    /// The steady time.
    let steady: Timestamp

    /// What has become of a notification.
    enum Settled {
        /// - Parameter superseded: how many earlier ones it takes the place of, that are not sent any more.
        case sent(superseded: Int)
        case refused
        case givenUp
        /// - Parameter superseded: as of what was sent.
        case dueAgain(superseded: Int)
    }

    enum Recorded {
        case settled(Settled)
        /// It is under way until the registration has ended, or has not.
        case ending(PushAnnouncement.End)
    }

    func record(_ outcome: PushOutcome, of job: PushJob) throws(StoreError) -> Recorded {
        switch outcome.answer {
        case .accepted(let status):
            try finish(job, "accepted (\(status))")
            return .settled(.sent(superseded: job.provider.replacesEarlier ? try removeSuperseded(by: job) : 0))
        case .ended(let status, let since):
            return .ending(
                PushAnnouncement.End(job: job, registration: outcome.registration, status: status, since: since))
        case .refused(let problem):
            try finish(job, "refused: \(problem)")
            return .settled(.refused)
        case .later(let problem, let after): return .settled(try postpone(job, problem, after: after))
        case .notTried(let after):
            try transaction.traces.takeBack(job.id)
            let due = steady.advanced(by: max(after, .milliseconds(50)))
            guard due < job.deadline else { return .settled(try give(up: job, "too late")) }
            try transaction.jobs.retry(job.id, at: due, attempts: max(0, job.attempts - 1), isUncertain: false)
            return .settled(.dueAgain(superseded: 0))
        }
    }

    /// What came of a registration that its service knows no more.
    func record(
        _ result: PushAnnouncement.EndResult, of end: PushAnnouncement.End, _ job: PushJob
    ) throws(StoreError) -> Settled {
        switch result {
        case .ended, .wasEnded:
            try finish(job, "registration ended (\(end.status))")
            return .refused
        case .replaced:
            try transaction.jobs.retry(job.id, at: steady, attempts: job.attempts, isUncertain: false)
            return .dueAgain(superseded: 0)
        case .remains:
            return try postpone(
                job, PushProblem(status: end.status, "no such registration (\(end.status))"), after: nil)
        }
    }

    private func postpone(_ job: PushJob, _ problem: PushProblem, after: Duration?) throws(StoreError) -> Settled {
        let due = PushRetry.next(
            afterAttempt: job.attempts - 1, retryAfter: after, random: .random(in: 0...UInt64.max), now: steady,
            deadline: job.deadline)
        guard let due else { return try give(up: job, "too late: \(problem)") }
        try transaction.jobs.retry(job.id, at: due, attempts: job.attempts, isUncertain: problem.isUncertain)
        try transaction.traces.answer(
            job.id, "to be tried again: \(problem)", isUncertain: problem.isUncertain, at: now)
        // A later one of its conversation says all of it, if it is taken.
        let hasLater = try hasLater(than: job)
        if hasLater || job.attempts >= PushRetry.attemptsInLine { try transaction.jobs.bypass(job, now: steady) }
        // Of a conversation one that has failed is enough beside the line: where a service takes nothing they would be
        // many.
        return .dueAgain(superseded: hasLater ? try removeSuperseded(by: job) : 0)
    }

    /// Earlier ones of the conversation that are bypassed are not sent any more.
    ///
    /// - Returns: how many.
    private func removeSuperseded(by job: PushJob) throws(StoreError) -> Int {
        let superseded = try transaction.jobs.removeBypassed(by: job, now: steady)
        for id in superseded {
            try transaction.traces.answer(id, "superseded by a later message", isUncertain: false, at: now)
        }
        return superseded.count
    }

    /// Whether one that would take its place on the device is on its way. It may turn out to be of no use, or be
    /// refused.
    func hasLater(than job: PushJob) throws(StoreError) -> Bool {
        guard job.provider.replacesEarlier else { return false }
        return try transaction.facts.jobs.hasLater(than: job)
    }

    private func give(up job: PushJob, _ reason: String) throws(StoreError) -> Settled {
        try finish(job, reason)
        return .givenUp
    }

    /// One that was under way was not given to the sender, and never will be.
    func drop(_ job: PushJob, _ reason: String) throws(StoreError) {
        try transaction.traces.takeBack(job.id)
        try finish(job, reason)
    }

    /// It is done, or given up: the next of its device is due.
    func finish(_ job: PushJob, _ answer: String) throws(StoreError) {
        try transaction.jobs.finish(job, now: steady)
        try transaction.traces.answer(job.id, answer, isUncertain: false, at: now)
    }
}
