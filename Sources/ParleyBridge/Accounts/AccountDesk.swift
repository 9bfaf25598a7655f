import ParleyProtocol
import ParleyRules
import ParleyStore
import Platform
import Sodium

extension IncomingCommand {
    var accountRequest: (any AccountHandler)? { request as? any AccountHandler }
}

/// What the desk works with.
struct DeskContext: Sendable {
    let sender: DeviceAddress
    let passwords: PasswordHashing
    /// Who may make an account.
    let registration: Registration
    let tokens: TokenIssuer
    /// Whom a provider's token names, if the request has one.
    let identity: CheckedIdentity?
    let store: Store

    /// Reads one state of the database.
    func read<Result>(_ body: (Snapshot) throws -> Result) throws -> Result { try store.read(body) }
}

/// Works beside the writer for requests about accounts: it limits them, hashes passwords on a thread of its own, which
/// gives way to all others, and has identity tokens checked. The writer gets each request back with the finding; its
/// transaction alone decides and changes.
///
/// Nothing waits for it, and what it has to do is bounded: beyond that requests are refused at once.
final class AccountDesk: Sendable {
    /// What waits for the desk's thread.
    fileprivate struct Job {
        let incoming: IncomingCommand
        /// Where the sender is, if a door asks.
        let network: ClientNetwork?
        let step: Step

        enum Step {
            case check(IdentityProof, now: Timestamp)
            case work(CheckedIdentity?)
        }
    }

    fileprivate struct State {
        var limits: AccountLimits
        /// Passwords that are to be hashed.
        var waiting = Fifo<Job>()
        /// How many of them are of a site.
        var waitingOf: [[UInt8]: Int] = [:]
        /// Identity tokens that are to be checked: that takes far less time.
        var unchecked = Fifo<Job>()
        var found: [IncomingCommand] = []
        /// Identity tokens that wait or are being checked.
        var checks = 0
        /// The number of copies of a request that have come lately, by its digest.
        var copies = BoundedCache<[UInt8], Int>(capacity: 4096)
        /// The digests of those that are waiting or under way.
        var underway: Set<[UInt8]> = []
        var isClosed = false
    }

    enum Submission {
        /// The writer gets it back, or it is answered from here.
        case accepted
        /// It can be carried out at once.
        case needsNothing
        case refused(Rejection)
    }

    private let state: Monitor<State>
    private let store: Store
    private let passwords: PasswordHashing
    private let identities: any IdentityChecking
    private let queue: OutQueue
    private let counters: Counters
    private let wakeWriter: @Sendable () -> Void
    private let tokens: TokenIssuer
    private let digestKey: [UInt8]
    private let registration: Registration

    /// Passwords that wait to be hashed: some seconds' work.
    static let mostWaiting = 32
    /// The same of one site: strangers of one place do not keep out all others.
    static let mostWaitingOfSite = 8
    /// Identity tokens that are checked at once.
    static let mostChecks = 64
    /// Copies of a request that are not charged, beside those that come while it waits: a door repeats what it has no
    /// answer to.
    static let freeCopies = 1
    /// Where the desk has no room, in milliseconds.
    private static let pauseWhenFull = 2000

    /// - Parameters:
    ///   - queue: for refusals.
    ///   - wakeWriter: called when a request has its finding.
    init(
        store: Store, settings: Settings, tokens: TokenIssuer, identities: any IdentityChecking, queue: OutQueue,
        counters: Counters, wakeWriter: @escaping @Sendable () -> Void
    ) throws {
        state = Monitor(State(limits: AccountLimits(settings)))
        self.store = store
        passwords = try PasswordHashing(settings)
        self.identities = identities
        self.queue = queue
        self.counters = counters
        self.wakeWriter = wakeWriter
        self.tokens = tokens
        registration = settings.registrationOfPeople
        digestKey = try tokens.secret(for: "requests at the desk")
    }

    // MARK: The writer's thread

    /// Takes a request. Never waits.
    func submit(_ incoming: IncomingCommand, now: Timestamp) -> Submission {
        guard let request = incoming.accountRequest else { return .needsNothing }
        guard let digest = try? digest(of: request, by: incoming.sender) else { return .refused(.internalFault) }
        let uses = request.uses(by: incoming.sender)
        let network = uses.lazy.compactMap(\.network).first
        return state.withLock { state -> Submission in
            // The reply to the first copy is the reply to this one.
            guard !state.underway.contains(digest) else { return .accepted }
            do throws(Rejection) {
                // First: whoever is turned away here has tried nothing.
                try state.requireRoom(for: request.work, of: network)
                try state.charge(uses, digest, now: now)
            } catch {
                return .refused(error)
            }
            switch request.work {
            case .none: return .needsNothing
            case .hashing: state.append(Job(incoming: incoming, network: network, step: .work(nil)))
            case .identity(let proof), .identityAndHashing(let proof):
                state.checks += 1
                state.unchecked.append(Job(incoming: incoming, network: network, step: .check(proof, now: now)))
            }
            state.underway.insert(digest)
            return .accepted
        }
    }

    /// Requests that have their findings.
    func drainFound() -> [IncomingCommand] {
        state.withLock { state in
            defer { state.found = [] }
            return state.found
        }
    }

    // MARK: The desk's thread

    /// Hashes passwords, and begins checks, until `close`.
    func run() async throws {
        try await LoopThread.run(name: "parley-desk") { [self] in
            LoopThread.lowerPriority()
            while let job = next() { carryOut(job) }
        }
    }

    func close() { state.withLock { $0.isClosed = true } }

    /// Works on all that is waiting, and waits for nothing.
    func workOnWaiting() {
        while let job = state.withLock({ $0.popFirst() }) { carryOut(job) }
    }

    /// - Returns: `nil` when the desk is closed.
    private func next() -> Job? {
        state.wait { state -> Job?? in
            if state.isClosed { return .some(nil) }
            return state.popFirst().map { .some($0) }
        }
    }

    private func carryOut(_ job: Job) {
        switch job.step {
        case .check(let proof, let now):
            // A repeat is answered as the first copy was, though the token has expired since.
            if isRepeat(job.incoming) {
                state.withLock { $0.checks -= 1 }
                work(on: job.incoming, identity: nil)
            } else {
                check(proof, job, now)
            }
        case .work(let identity): work(on: job.incoming, identity: identity)
        }
    }

    private func isRepeat(_ incoming: IncomingCommand) -> Bool {
        guard let request = incoming.accountRequest else { return false }
        return (try? store.read { try isRepeat(request, in: $0) }) ?? false
    }

    private func isRepeat(_ request: any AccountHandler, in snapshot: Snapshot) throws -> Bool {
        try snapshot.accountRequests.request(request.id.storedName(by: tokens)) != nil
    }

    private func check(_ proof: IdentityProof, _ job: Job, _ now: Timestamp) {
        let incoming = job.incoming
        identities.check(proof, now: now) { [self] result in
            state.withLock { $0.checks -= 1 }
            switch (result, incoming.accountRequest?.work) {
            case (.failure(let rejection), _): refuse(incoming, incoming.accountRefusal(rejection))
            case (.success(let identity), .identityAndHashing):
                let next = Job(incoming: incoming, network: job.network, step: .work(identity))
                if !state.withLock({ $0.appendIfRoom(next) }) { refuse(incoming, AccountDesk.full) }
            case (.success(let identity), _): work(on: incoming, identity: identity)
            }
        }
    }

    /// Finds out what a request needs, and hands it to the writer.
    private func work(on incoming: IncomingCommand, identity: CheckedIdentity?) {
        guard let request = incoming.accountRequest else { return }
        do {
            try finish(incoming, with: finding(of: request, incoming, identity))
        } catch let rejection as Rejection {
            refuse(incoming, rejection)
        } catch {
            refuse(incoming, StoreError(error).isPassing ? .unavailable : .internalFault)
        }
    }

    /// - Returns: `nil` for a repeat, which the writer knows.
    private func finding(
        of request: some AccountHandler, _ incoming: IncomingCommand, _ identity: CheckedIdentity?
    ) throws -> (any Sendable)? {
        let context = DeskContext(
            sender: incoming.sender, passwords: passwords, registration: registration, tokens: tokens,
            identity: identity, store: store)
        // A provider's answer comes on its connections' thread, which must not wait for the database; the writer checks
        // both again.
        guard identity == nil else { return try request.find(in: context) }
        let (role, isKnown) = try store.read { snapshot in
            (try snapshot.devices.device(incoming.sender)?.role, try isRepeat(request, in: snapshot))
        }
        try AuthorizeRule.check(incoming.askers, role: role)
        guard !isKnown else { return nil }
        return try request.find(in: context)
    }

    private func finish(_ incoming: IncomingCommand, with finding: (any Sendable)?) throws {
        var incoming = incoming
        incoming.finding = finding
        let digest = try digest(of: incoming)
        state.withLock { state in
            state.underway.remove(digest)
            state.found.append(incoming)
        }
        wakeWriter()
    }

    private func refuse(_ incoming: IncomingCommand, _ rejection: Rejection) {
        if let digest = try? digest(of: incoming) { state.withLock { _ = $0.underway.remove(digest) } }
        counters.rejected.add(1)
        var outgoing = Outgoing()
        outgoing.reject(incoming.route, rejection)
        // They are few: what the desk works on is bounded.
        queue.add(outgoing)
    }

    private func digest(of incoming: IncomingCommand) throws -> [UInt8] {
        guard let request = incoming.accountRequest else { return [] }
        return try digest(of: request, by: incoming.sender)
    }

    private func digest(of request: any AccountHandler, by sender: DeviceAddress) throws -> [UInt8] {
        let (preimage, key) = (request.identityPreimage(sender: sender), digestKey)
        return try BLAKE2b.hash(preimage.span, length: .bytes16, key: key.span)
    }
}

extension AccountDesk.State {
    /// Charges a request, unless it is one of the copies that its sender makes by itself.
    fileprivate mutating func charge(
        _ uses: [AccountUse], _ digest: [UInt8], now: Timestamp
    ) throws(Rejection) {
        let earlier = copies[digest] ?? 0
        if earlier == 0 || earlier > AccountDesk.freeCopies { try limits.charge(uses, now: now) }
        copies[digest] = min(earlier + 1, AccountDesk.freeCopies + 1)
    }

    /// - Throws: `rate_limited` where there is none.
    fileprivate func requireRoom(for work: DeskWork, of network: ClientNetwork?) throws(Rejection) {
        let hasRoom =
            switch work {
            case .none: true
            case .hashing:
                waiting.count < AccountDesk.mostWaiting
                    && network.map { waitingOf[$0.site, default: 0] < AccountDesk.mostWaitingOfSite } ?? true
            case .identity, .identityAndHashing: checks < AccountDesk.mostChecks
            }
        guard hasRoom else { throw AccountDesk.full }
    }

    /// - Returns: whether there was room.
    fileprivate mutating func appendIfRoom(_ job: AccountDesk.Job) -> Bool {
        guard (try? requireRoom(for: .hashing, of: job.network)) != nil else { return false }
        append(job)
        return true
    }

    fileprivate mutating func append(_ job: AccountDesk.Job) {
        if let site = job.network?.site { waitingOf[site, default: 0] += 1 }
        waiting.append(job)
    }

    fileprivate mutating func popFirst() -> AccountDesk.Job? {
        if let job = unchecked.popFirst() { return job }
        guard let job = waiting.popFirst() else { return nil }
        if let site = job.network?.site, let count = waitingOf[site] { waitingOf[site] = count > 1 ? count - 1 : nil }
        return job
    }
}

extension AccountDesk {
    fileprivate static let full = Rejection(
        .rateLimited, "Too many people sign in at once; wait a little.", retryAfterMilliseconds: pauseWhenFull)
}

extension IncomingCommand {
    /// A device that is signed in stays so, whatever a provider says.
    fileprivate func accountRefusal(_ rejection: Rejection) -> Rejection {
        guard rejection.code == .unauthenticated, askers != .doors else { return rejection }
        return Rejection(.forbidden, rejection.message)
    }
}
