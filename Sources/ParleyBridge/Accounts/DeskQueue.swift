import ParleyIdentity
import ParleyProtocol
import ParleyRules

/// A request that the desk works for.
struct DeskJob {
    let incoming: IncomingCommand
    let request: any AccountHandler
    /// Of the request, 16 bytes.
    let digest: [UInt8]
    /// Of the client, if a web door asks.
    let network: ClientNetwork?
    var step = Step.work(nil)

    enum Step {
        case check(IdentityProof, now: Timestamp)
        case work(Identity?)
    }

    /// The request with its finding.
    func with(_ finding: (any Sendable)?) -> IncomingCommand {
        var incoming = incoming
        incoming.finding = AccountFinding(digest: digest, value: finding)
        return incoming
    }
}

/// The requests at the desk, and the limits of new ones.
struct DeskQueue {
    private var limits: AccountLimits
    /// Requests with a password to hash.
    private var waiting = Fifo<DeskJob>()
    /// The number of these of each site.
    private var waitingOf: [[UInt8]: Int] = [:]
    /// Requests with an identity token to check, which takes far less time.
    private var unchecked = Fifo<DeskJob>()
    /// Requests that have their findings.
    var found: [IncomingCommand] = []
    /// The number of identity tokens that wait or are being checked.
    private var checks = 0
    /// The number of recent copies of a request, by its digest.
    private var copies = BoundedCache<[UInt8], Int>(capacity: 4096)
    /// The digests of requests that wait or are under way.
    private var underway: Set<[UInt8]> = []
    var isClosed = false

    /// Copies of a request that are not charged, beside copies that arrive while it waits: a door repeats a request
    /// without an answer.
    static let freeCopies = 1

    init(limits: AccountLimits) { self.limits = limits }

    /// - Returns: whether it needs no work.
    /// - Throws: `rate_limited`
    mutating func submit(_ job: DeskJob, _ uses: [AccountUse], now: Timestamp) throws(Rejection) -> Bool {
        // The reply to the first copy is the reply to this one.
        guard !underway.contains(job.digest) else { return false }
        let work = job.request.work
        // Before the limits: a request refused for lack of room is not an attempt.
        try checkRoom(for: work, of: job.network)
        try charge(uses, job.digest, now: now)
        switch work {
        case .none: return true
        case .hashing: try append(job, nil)
        case .identity(let proof), .identityAndHashing(let proof):
            var job = job
            job.step = .check(proof, now: now)
            checks += 1
            unchecked.append(job)
        }
        underway.insert(job.digest)
        return false
    }

    /// Adds a request whose password is hashed.
    ///
    /// - Throws: `rate_limited` for lack of room.
    mutating func append(_ job: DeskJob, _ identity: Identity?) throws(Rejection) {
        try checkRoom(for: .hashing, of: job.network)
        var job = job
        job.step = .work(identity)
        if let site = job.network?.site { waitingOf[site, default: 0] += 1 }
        waiting.append(job)
    }

    mutating func popFirst() -> DeskJob? {
        if let job = unchecked.popFirst() { return job }
        guard let job = waiting.popFirst() else { return nil }
        if let site = job.network?.site, let count = waitingOf[site] { waitingOf[site] = count > 1 ? count - 1 : nil }
        return job
    }

    mutating func endCheck() { checks -= 1 }

    /// - Parameter result: the request with its finding; `nil` if it was refused.
    mutating func finish(_ job: DeskJob, _ result: IncomingCommand?) {
        underway.remove(job.digest)
        if let result { found.append(result) }
    }

    /// Charges a request, unless it is one of the free copies.
    private mutating func charge(_ uses: [AccountUse], _ digest: [UInt8], now: Timestamp) throws(Rejection) {
        let earlier = copies[digest] ?? 0
        if earlier == 0 || earlier > Self.freeCopies { try limits.charge(uses, now: now) }
        copies[digest] = min(earlier + 1, Self.freeCopies + 1)
    }

    /// - Throws: `rate_limited` for lack of room.
    private func checkRoom(for work: DeskWork, of network: ClientNetwork?) throws(Rejection) {
        let ofSite = network.map { waitingOf[$0.site, default: 0] } ?? 0
        let isCheck: Bool
        switch work {
        case .none: return
        case .hashing: isCheck = false
        case .identity, .identityAndHashing: isCheck = true
        }
        try AccountRoomRule.decide(
            isCheck: isCheck, waiting: waiting.count, waitingOfSite: ofSite, checks: checks)
    }
}
