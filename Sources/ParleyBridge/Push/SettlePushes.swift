import ParleyProtocol
import ParleyPush
import ParleyRules
import ParleyStore

/// Writes what came of notifications that were under way: while the gateway runs, and of the last ones when it ends.
struct SettlePushes {
    let transaction: WriteTransaction
    let now: Timestamp
    /// The steady time.
    let steady: Timestamp

    /// What has become of a notification.
    enum Settled {
        /// - Parameter passed: how many earlier ones it takes the place of, that are not sent any more.
        case sent(passed: Int)
        case refused
        /// The device is not registered any more, of which its user is to hear.
        case ended(PushEnd)
        case givenUp
        /// - Parameter passed: as of what was sent.
        case dueAgain(passed: Int)
    }

    func settle(_ job: PushJob, _ outcome: PushOutcome) throws(StoreError) -> Settled {
        switch outcome.answer {
        case .accepted(let status):
            try finish(job, "accepted (\(status))")
            return .sent(passed: job.provider.collapses ? try removePassed(by: job) : 0)
        case .ended(let status, let since):
            let hasEnded = try transaction.pushJobs.endRegistration(
                outcome.registration, of: job.device, since: since, at: now)
            if !hasEnded, let registration = try transaction.facts.pushRegistrations.registration(of: job.device) {
                guard registration.number == outcome.registration else {
                    // The device has registered again meanwhile.
                    try transaction.pushJobs.retry(job.id, at: steady, attempts: job.attempts, isUncertain: false)
                    return .dueAgain(passed: 0)
                }
                // It was registered after that time: the service may know it by now, or may never.
                return try postpone(job, PushProblem(status: status, "no such registration (\(status))"), after: nil)
            }
            try finish(job, "registration ended (\(status))")
            guard hasEnded else { return .refused }
            return .ended(
                PushEnd(device: job.device, provider: .known(job.provider), reason: .known(.gone), at: now))
        case .refused(let problem):
            try finish(job, "refused: \(problem)")
            return .refused
        case .later(let problem, let after): return try postpone(job, problem, after: after)
        case .notTried(let after):
            try transaction.pushTraces.takeBack(job.id)
            let due = steady.advanced(by: max(after, .milliseconds(50)))
            guard due < job.deadline else { return try give(up: job, "too late") }
            try transaction.pushJobs.retry(
                job.id, at: due, attempts: max(0, job.attempts - 1), isUncertain: false)
            return .dueAgain(passed: 0)
        }
    }

    private func postpone(_ job: PushJob, _ problem: PushProblem, after: Duration?) throws(StoreError) -> Settled {
        let due = PushRetry.next(
            afterAttempt: job.attempts - 1, retryAfter: after, random: .random(in: 0...UInt64.max), now: steady,
            deadline: job.deadline)
        guard let due else { return try give(up: job, "too late: \(problem)") }
        try transaction.pushJobs.retry(job.id, at: due, attempts: job.attempts, isUncertain: problem.isUncertain)
        try transaction.pushTraces.answer(
            job.id, "to be tried again: \(problem)", isUncertain: problem.isUncertain, at: now)
        // A later one of its conversation says all of it, if it is taken.
        let isPassed = try hasLater(than: job)
        if isPassed || job.attempts >= PushRetry.attemptsInLine { try transaction.pushJobs.letPass(job, now: steady) }
        // Of a conversation one that has failed is enough beside the line: where a service takes nothing they would be many.
        return .dueAgain(passed: isPassed ? try removePassed(by: job) : 0)
    }

    /// Earlier ones of the conversation that stand aside are not sent any more.
    ///
    /// - Returns: how many.
    private func removePassed(by job: PushJob) throws(StoreError) -> Int {
        let passed = try transaction.pushJobs.removePassed(by: job, now: steady)
        for passed in passed {
            try transaction.pushTraces.answer(passed, "superseded by a later message", isUncertain: false, at: now)
        }
        return passed.count
    }

    /// Whether one that would take its place on the device is on its way. It may turn out to be of no use, or be refused.
    func hasLater(than job: PushJob) throws(StoreError) -> Bool {
        guard job.provider.collapses else { return false }
        return try transaction.facts.pushJobs.hasLater(than: job)
    }

    private func give(up job: PushJob, _ reason: String) throws(StoreError) -> Settled {
        try finish(job, reason)
        return .givenUp
    }

    /// One that was under way was not given to the sender, and never will be.
    func drop(_ job: PushJob, _ reason: String) throws(StoreError) {
        try transaction.pushTraces.takeBack(job.id)
        try finish(job, reason)
    }

    /// It is done, or given up: the next of its device is due.
    func finish(_ job: PushJob, _ answer: String) throws(StoreError) {
        try transaction.pushJobs.finish(job, now: steady)
        try transaction.pushTraces.answer(job.id, answer, isUncertain: false, at: now)
    }
}
