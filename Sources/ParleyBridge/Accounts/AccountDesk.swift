import ParleyIdentity
import ParleyProtocol
import ParleyRules
import ParleyStore
import Platform
import Sodium

/// The inputs of the work for a request.
struct DeskContext: Sendable {
    let sender: DeviceAddress
    let passwords: PasswordHashing
    /// The setting of who may make an account.
    let registration: Registration
    let tokens: TokenIssuer
    /// The identity of the request's token, if it has one.
    let identity: Identity?
    let store: Store
}

/// Works beside the writer for requests about accounts: it limits them, hashes passwords on a thread of its own with
/// the lowest priority, and has identity tokens checked. The writer gets each request back with the finding; its
/// transaction alone decides and changes.
///
/// No other thread waits for it, and its queues are bounded: beyond that requests are refused at once.
final class AccountDesk: Sendable {
    enum Submission {
        /// The writer gets it back later, or the desk refuses it.
        case accepted
        /// It needs no work.
        case ready(IncomingCommand)
        case refused(Rejection)
    }

    private let state: Monitor<DeskQueue>
    private let store: Store
    private let passwords: PasswordHashing
    private let identities: any IdentityChecking
    private let queue: OutQueue
    private let counters: Counters
    private let wakeWriter: @Sendable () -> Void
    private let tokens: TokenIssuer
    private let registration: Registration

    /// - Parameters:
    ///   - queue: for refusals.
    ///   - wakeWriter: called when a request has its finding.
    init(
        store: Store, settings: Settings, tokens: TokenIssuer, identities: any IdentityChecking, queue: OutQueue,
        counters: Counters, wakeWriter: @escaping @Sendable () -> Void
    ) throws {
        state = Monitor(DeskQueue(limits: AccountLimits(settings)))
        self.store = store
        passwords = try PasswordHashing(settings)
        self.identities = identities
        self.queue = queue
        self.counters = counters
        self.wakeWriter = wakeWriter
        self.tokens = tokens
        registration = settings.registrationOfPeople
    }

    // MARK: The writer's thread

    /// Accepts a request. Never waits.
    func submit(_ incoming: IncomingCommand, now: Timestamp) -> Submission {
        guard let request = incoming.request as? any AccountHandler else { return .ready(incoming) }
        guard let digest = try? request.digest(by: incoming.sender, tokens) else { return .refused(.internalFault) }
        let uses = request.uses(by: incoming.sender)
        let job = DeskJob(
            incoming: incoming, request: request, digest: digest, network: uses.lazy.compactMap(\.network).first)
        do throws(Rejection) {
            let isReady = try state.withLock { state throws(Rejection) in try state.submit(job, uses, now: now) }
            return isReady ? .ready(job.with(Nothing())) : .accepted
        } catch {
            return .refused(error)
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

    /// Works on all waiting requests, without waiting for more.
    func workOnWaiting() {
        while let job = state.withLock({ $0.popFirst() }) { carryOut(job) }
    }

    /// - Returns: `nil` when the desk is closed.
    private func next() -> DeskJob? {
        state.wait { state -> DeskJob?? in
            if state.isClosed { return .some(nil) }
            return state.popFirst().map { .some($0) }
        }
    }

    private func carryOut(_ job: DeskJob) {
        switch job.step {
        case .check(let proof, let now):
            // A repeat gets the first reply, even if the token has expired since.
            if (try? store.read { try isRepeat(job, in: $0) }) ?? false {
                state.withLock { $0.endCheck() }
                work(on: job, identity: nil)
            } else {
                check(proof, job, now)
            }
        case .work(let identity): work(on: job, identity: identity)
        }
    }

    private func isRepeat(_ job: DeskJob, in snapshot: Snapshot) throws -> Bool {
        try snapshot.accountRequests.request(job.request.id.storedName(by: tokens)) != nil
    }

    private func check(_ proof: IdentityProof, _ job: DeskJob, _ now: Timestamp) {
        identities.check(proof, now: now) { [self] result in
            state.withLock { $0.endCheck() }
            switch (result, job.request.work) {
            case (.failure(let rejection), _):
                refuse(job, AccountRefusalRule.decide(rejection, askers: job.incoming.askers))
            case (.success(let identity), .identityAndHashing):
                do throws(Rejection) {
                    try state.withLock { state throws(Rejection) in try state.append(job, identity) }
                } catch {
                    refuse(job, error)
                }
            case (.success(let identity), _): work(on: job, identity: identity)
            }
        }
    }

    /// Does the work for a request, and hands it to the writer.
    private func work(on job: DeskJob, identity: Identity?) {
        do {
            let found = job.with(try finding(of: job, identity))
            state.withLock { $0.finish(job, found) }
            wakeWriter()
        } catch let rejection as Rejection {
            refuse(job, rejection)
        } catch {
            refuse(job, StoreError(error).isPassing ? .unavailable : .internalFault)
        }
    }

    /// - Returns: `nil` for a repeat, which the writer knows.
    private func finding(of job: DeskJob, _ identity: Identity?) throws -> (any Sendable)? {
        let context = DeskContext(
            sender: job.incoming.sender, passwords: passwords, registration: registration, tokens: tokens,
            identity: identity, store: store)
        // A provider's answer arrives on its connections' thread, which must not wait for the database; the writer
        // checks both again.
        guard identity == nil else { return try job.request.find(in: context) }
        let (role, isKnown) = try store.read { snapshot in
            (try snapshot.devices.device(job.incoming.sender)?.role, try isRepeat(job, in: snapshot))
        }
        try AuthorizeRule.check(job.incoming.askers, role: role)
        return isKnown ? nil : try job.request.find(in: context)
    }

    private func refuse(_ job: DeskJob, _ rejection: Rejection) {
        state.withLock { $0.finish(job, nil) }
        counters.rejected.add(1)
        var outgoing = Outgoing()
        outgoing.reject(job.incoming.route, rejection)
        // They are few: the desk's queues are bounded.
        queue.add(outgoing)
    }
}
