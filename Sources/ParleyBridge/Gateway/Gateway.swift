import Foundation
import Logging
import Platform
import ParleyProtocol
import ParleyRules
import ParleyStore

/// The service: reads requests from the broker, decides, commits, publishes.
///
/// ```
/// broker ──▶ Intake ──▶ Ingress ──▶ Writer ──▶ COMMIT ──▶ OutQueue ──▶ Publisher ──▶ broker
///                          └──▶ ReaderPool ─────────────────▲
/// ```
package final class Gateway: Sendable {
    let directory: DataDirectory
    private let settings: Settings
    private let location: StoreLocation
    private let logger: Logger
    let shared: GatewayState
    let queue: OutQueue
    let limits: UserLimits

    /// - Parameters:
    ///   - location: of the database.
    ///   - boot: the run of the machine, and its clocks.
    ///   - onReady: called whenever devices can sign in, again after each new connection to the broker.
    package init(
        directory: DataDirectory, settings: Settings, location: StoreLocation = .file, logger: Logger,
        boot: String? = ClockReading.machineBoot, reading: @escaping @Sendable () -> ClockReading = { .machine },
        onReady: @escaping @Sendable () -> Void
    ) throws {
        self.directory = directory
        self.settings = settings
        self.location = location
        self.logger = logger
        shared = GatewayState(
            settings: settings, counters: Counters(),
            selfRequest: SelfRequest(interval: .seconds(settings.selfRequestSeconds), now: .now),
            clock: MachineClock(boot: boot, logger: logger, reading: reading), onReady: onReady)
        queue = try OutQueue(limit: OutLoad(items: settings.unpublishedLimit, bytes: settings.unpublishedBytes))
        limits = UserLimits(settings)
    }

    /// Runs until `stop()`; committed events are published then, as far as the broker takes them in a few seconds.
    ///
    /// - Throws: `GatewayError`.
    package func run() async throws {
        do {
            try await serve()
        } catch {
            throw GatewayError(error)
        }
    }

    private func serve() async throws {
        let handlers = try OperationHandlers(counters: shared.counters)
        guard let store = try await openStore() else { return }
        // Before it is live again itself.
        let wasAway = try store.wasAway
        try shared.clock.resume(from: store)
        let (witness, isPutBack) = try DatabaseContinuity.begin(store, in: directory, logger: logger)
        // Messages from shortly before that time may have been received since.
        if isPutBack { shared.clock.forgetTimeBefore() }
        let tokens = TokenIssuer(key: try directory.readSigningKey())
        let link = BrokerLink(
            socket: directory.brokerSocket, tokens: tokens, cell: store.cells?.name, batchLimit: settings.batchLimit)
        let pushes = try PushSystem(directory, settings, main: store, logger: logger) { [queue] in
            queue.intakeWake.signal()
        }
        let accounts = try AccountSystem(
            store: store, settings: settings, tokens: tokens,
            services: try directory.accountServices(settings, logger: logger),
            queue: queue, counters: shared.counters,
            clock: shared.clock, logger: logger)
        let readers = ReaderPool(
            reader: Reader(
                store: store, pushes: pushes.store, live: shared.settings, seal: try CursorSeal(tokens), limits: limits,
                counters: shared.counters, people: pushes.people, vapidKey: pushes.vapidPublicKey,
                publishedThrough: shared.publishedThrough, identityProviders: accounts.providers,
                operating: OperatingSource(
                    startedAt: shared.clock.now, directory: directory, isFile: location.isFile, queue: queue,
                    readiness: shared.readiness)),
            queue: queue, limit: settings.waitingReads, moment: { [shared] in shared.clock.moment })
        let sessions = SessionRemover(link: link, logger: logger, clock: shared.clock)
        try retryingAtStart { try pushes.resume(store, clock: shared.clock, counters: shared.counters) }
        let backlog = try Publisher.Backlog(in: store)
        shared.publishedThrough.set(backlog.position)
        // Until it is known what they have read.
        if let cells = store.cells { shared.publishedThrough.neededByCells = Stream(cell: cells.own).start }
        if backlog.end > backlog.position {
            logger.notice(
                "publishing what was left", metadata: ["positions": "\(backlog.position.distance(to: backlog.end))"])
        }
        let (feed, held, rates) = (try AudienceFeed(wasAway: wasAway), HeldReplies(), RateExchange())
        shared.levels.withLock {
            $0 = GatewayLevels(people: pushes.people, readers: readers, startedAt: shared.clock.now)
        }
        shared.readiness.set(.started, true)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await readers.run() }
            group.addTask { try await sessions.run() }
            group.addTask { try await accounts.run() }
            group.addTask { [self] in try await pushes.run(store, clock: shared.clock, counters: shared.counters) }
            group.addTask { [self] in
                try await LoopThread.run(name: "parley-out") { [self] in
                    LoopThread.prepareHeap()
                    try Publisher(
                        link: link, queue: queue, store: store, backlog: backlog, witness: witness, feed: feed,
                        shared: shared, logger: logger
                    ).run()
                }
            }
            group.addTask { [self] in
                try await LoopThread.run(name: "parley-intake") { [self] in
                    LoopThread.prepareHeap()
                    try runIntake(
                        store, tokens, link, readers, sessions, accounts, pushes, handlers, feed, held, rates)
                }
            }
            if let cells = store.cells {
                group.addTask { [self] in
                    try await LoopThread.run(name: "parley-cells") { [self] in
                        CellLoop(
                            cells: cells, store: store, queue: queue, feed: feed, held: held, rates: rates,
                            people: pushes.people, shared: shared, logger: logger
                        ).run()
                    }
                }
                group.addTask { [self] in
                    try await LoopThread.run(name: "parley-lease") { [self] in
                        try LeaseLoop(cells: cells, queue: queue, feed: feed, shared: shared, logger: logger).run()
                    }
                }
            }
            // The first loop that ends, ends the others: by `stop()`, or because it cannot go on.
            let first = await group.nextResult()
            stop()
            readers.close()
            sessions.close()
            accounts.close()
            pushes.close()
            queue.close()
            try await group.waitForAll()
            try first?.get()
        }
        if let reason = shared.storeEnd.withLock({ $0 }) {
            if case .lostCommits = reason { witness.recordLoss() }
            throw reason
        }
        recordEnd(in: store, witness, pushes)
    }

    /// Opens the database, and waits for a server that is away.
    ///
    /// - Returns: `nil` when asked to stop meanwhile.
    private func openStore() async throws -> Store? {
        switch location {
        case .file:
            try Restoration(directory).finish()
            return try Store(path: directory.database)
        case .server(let name, let open):
            var pauses = Backoff(longest: .seconds(5))
            var report = RecurringReport(logger: logger)
            while !shared.stop.isRaised {
                do {
                    let store = try open { [self] reason in
                        shared.storeEnd.withLock { $0 = $0 ?? reason }
                        stop()
                    }
                    report.end("the database can be used again")
                    return store
                } catch let error as StoreError
                    where error.isPassing || error.mayPassAtOnce(amongNeighbours: true)
                {
                    report.add("the database cannot be used yet", "\(name): \(error)")
                    try await Task.sleep(for: pauses.next())
                }
            }
            return nil
        }
    }

    /// Whether its loops have gone round in the last `interval`. Not to be asked before devices can sign in: what the
    /// start has to do may take longer.
    package func isAlive(within interval: Duration) -> Bool { shared.turns.areRecent(within: interval) }

    /// Asks `run()` to end. Safe to call from anywhere, and more than once.
    package func stop() {
        shared.readiness.set(.started, false)
        shared.stop.raise()
        queue.arrived.signal()
        queue.intakeWake.signal()
    }

    private func runIntake(
        _ store: Store, _ tokens: TokenIssuer, _ link: BrokerLink, _ readers: ReaderPool, _ sessions: SessionRemover,
        _ accounts: AccountSystem, _ pushes: PushSystem, _ handlers: OperationHandlers, _ feed: AudienceFeed,
        _ held: HeldReplies, _ rates: RateExchange
    ) throws {
        defer {
            shared.hasIntakeEnded.raise()
            queue.arrived.signal()
        }
        let access = ReservedDevicesDuty(directory, cell: store.cells?.own, logger: logger, at: shared.clock.moment)
        let writer = Writer(
            store: store, settings: settings, tokens: tokens, limits: limits, push: try pushes.gate(store),
            counters: shared.counters, published: shared.publishedThrough, clock: shared.clock,
            mails: accounts.mails,
            presence: try PresenceDuty(
                store, settings, people: pushes.people, now: shared.clock.now, lastTime: shared.clock.timeBefore),
            access: access, held: held, readiness: shared.readiness, logger: logger)
        writer.clockOffset = shared.clock.moment.clockOffset
        let (credentials, effects) = try retryingAtStart { try writer.write(now: shared.clock.now, access.run) }
        queue.add(effects)
        try access.save(credentials)
        // Messages that have expired meanwhile are removed before the first request.
        while writer.isDue(ExpiryDuty.self, now: shared.clock.now), !shared.stop.isRaised {
            queue.add(writer.run(ExpiryDuty.self, now: shared.clock.now))
        }
        try Intake(
            link: link, writer: writer, readers: readers, sessions: sessions, desk: accounts.desk, rates: rates,
            queue: queue, feed: feed, people: pushes.people, shared: shared, handlers: handlers, settings: settings,
            logger: logger
        ).run()
    }

    /// Spares the next start some work. On a full disk that start publishes and sends some of it again.
    private func recordEnd(in store: Store, _ witness: WitnessMark, _ pushes: PushSystem) {
        do throws(StoreError) {
            try pushes.recordEnd(in: store, shared.clock, shared.counters)
        } catch {
            logger.warning("the end of pushes could not be noted", metadata: ["reason": "\(error)"])
        }
        do throws(StoreError) {
            let (published, clock) = (shared.publishedThrough, shared.clock.stateToStore())
            try store.write { transaction in
                try transaction.outbox.advance(through: published.current, needed: published.neededByCells)
                try transaction.clock.store(clock)
            }
            if !shared.states.isTelling {
                try store.cells?.saveEnd(shared.publishedStreams.withLock { $0 }, in: store)
            }
            witness.end(at: try store.read { try $0.outbox.lastPosition() }.number)
            try store.checkpoint()
        } catch {
            logger.warning("the end could not be noted in the database", metadata: ["reason": "\(error)"])
        }
    }
}
