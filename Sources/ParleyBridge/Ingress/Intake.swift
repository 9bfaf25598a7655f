import Logging
import MQTTClient
import Platform
import ParleyProtocol
import ParleyRules
import ParleyStore

/// Owns the `intake` connection: reads a batch, has it committed, queues its effects, and only then acknowledges.
///
/// It is the loop that runs the writer. While a batch is being committed nothing is read: the broker's socket fills and
/// holds the devices back. Confined to its thread.
final class Intake {
    private let link: BrokerLink
    let writer: Writer
    let readers: ReaderPool
    let sessions: SessionRemover
    let desk: AccountDesk
    let rates: RateExchange
    let queue: OutQueue
    let shared: GatewayState
    private let logger: Logger
    private let batchLimit: Int
    var ingress: Ingress
    var batch = InboundBatch()
    var backlog = RequestBacklog()
    /// Of the settings that hold.
    private var settingsGeneration = 0
    private let feed: AudienceFeed
    private let people: ConnectedPeople
    /// The lapses of this cell's lease that were noticed.
    private var lapses = 0
    private var generator = SystemRandomNumberGenerator()
    private var lookDueAt = ContinuousClock.now

    /// How often the work that other gateways may have left is looked for.
    private static let lookInterval = Duration.seconds(30)

    init(
        link: BrokerLink, writer: Writer, readers: ReaderPool, sessions: SessionRemover, desk: AccountDesk,
        rates: RateExchange, queue: OutQueue, feed: AudienceFeed, people: ConnectedPeople, shared: GatewayState,
        handlers: OperationHandlers, settings: Settings, logger: Logger
    ) {
        self.link = link
        self.feed = feed
        self.people = people
        self.writer = writer
        self.readers = readers
        self.sessions = sessions
        self.desk = desk
        self.rates = rates
        self.queue = queue
        self.shared = shared
        self.logger = logger
        batchLimit = settings.batchLimit
        ingress = Ingress(settings, handlers)
    }

    /// Reads and commits until `stop` is raised, over as many connections as it takes.
    func run() throws {
        var backoff = Backoff(first: .milliseconds(50), longest: .seconds(2))
        var refusals = RecurringReport(logger: logger, level: .error)
        while !shared.stop.isRaised {
            shared.turns.recordIntake()
            do {
                try session {
                    backoff.reset()
                    refusals.end("requests are heard again")
                }
            } catch IntakeError.silent(let silence) {
                shared.counters.intakeResets.add(1)
                shared.counters.reconnects.add(1)
                logger.warning(
                    "connecting anew for requests: what the broker has for the gateway does not come",
                    metadata: ["reason": "\(IntakeError.silent(silence))"])
            } catch let fault as IntakeError {
                // The publisher logs that the broker is away. Only here it is logged that the broker refuses us.
                refusals.add("no request is heard", fault)
                shared.counters.reconnects.add(1)
            } catch {
                guard !shared.stop.isRaised else { break }
                logger.debug("the intake's connection ended", metadata: ["reason": "\(error)"])
                shared.counters.reconnects.add(1)
            }
            shared.isIntakeAttached.withLock { $0 = false }
            shared.readiness.set(.subscribedToRequests, false)
            people.recordReading(at: .now)
            writer.duties[PresenceDuty.self]?.recordLostSight(now: shared.clock.now)
            let now = readClock()
            if queue.hasRoom { queue.add(writer.run(PushAnnouncementDuty.self, now: now)) }
            guard !shared.stop.isRaised else { break }
            var watched = [WatchedDescriptor(queue.intakeWake.descriptor, read: false)]
            try waitForEvents(&watched, timeout: backoff.next(using: &generator))
        }
    }

    // MARK: One connection

    private func session(onAttached: () -> Void) throws {
        let connection = try link.connection(.intake, now: shared.clock.now, wall: shared.clock.wall)
        try connection.connect(timeout: .seconds(5))
        defer { connection.disconnect() }
        backlog.begin()
        shared.selfRequest.withLock { $0.recordReception(now: .now) }
        try connection.subscribe(to: Topic.everyRequest, retainHandling: .never)
        var isAttached = false
        var subscriptions: [SubscriptionResult] = []
        var housekeepingAt = ContinuousClock.now
        while !shared.stop.isRaised {
            shared.turns.recordIntake()
            let hasRoom = queue.hasRoom
            var isUnfinished = false
            people.recordReading(at: .now)
            if hasRoom { isUnfinished = try readBatch(connection) == .unfinished }
            try checkReception(isListening: hasRoom && !isUnfinished)
            noticeLapse()
            noticeSettings()
            carryOut()
            runTimers()
            if ContinuousClock.now >= housekeepingAt {
                housekeepingAt = .now.advanced(by: .seconds(1))
                try connection.housekeeping()
            }
            // Everything that was read is committed or answered: now its PUBACKs may leave.
            try connection.flush()
            if !isAttached {
                connection.drainSubscriptionResults(into: &subscriptions)
                isAttached = try attach(subscriptions)
                if isAttached { onAttached() }
            }
            guard !isUnfinished else { continue }
            if hasRoom { people.recordWaiting() }
            try wait(connection, canRead: hasRoom)
        }
    }

    private func readBatch(_ connection: MQTTConnection) throws -> BatchEnd {
        try connection.readBatch(into: &batch, limit: batchLimit)
    }

    /// Any message shows that the broker delivers; without one the gateway's own request may be overdue.
    private func checkReception(isListening: Bool) throws(IntakeError) {
        let now = ContinuousClock.now
        let silence = shared.selfRequest.withLock { request -> Duration? in
            if !batch.isEmpty {
                request.recordReception(now: now)
            } else if !isListening {
                request.recordPause(now: now)
            } else if request.isOverdue(now: now) {
                return request.patience
            }
            return nil
        }
        if let silence { throw .silent(silence) }
    }

    /// Lets devices sign in once the subscription is granted. Requests behind the marker are new.
    private func attach(_ results: [SubscriptionResult]) throws -> Bool {
        guard let result = results.first else { return false }
        guard !result.reason.isFailure else { throw IntakeError.subscriptionRefused(result.reason) }
        send(backlog.makeMarker())
        shared.isIntakeAttached.withLock { $0 = true }
        shared.readiness.set(.subscribedToRequests, true)
        queue.arrived.signal()
        return true
    }

    private func send(_ marker: [UInt8]) {
        var outgoing = Outgoing()
        outgoing.raw(topic: Array(Ingress.marker.utf8), payload: marker, position: nil)
        queue.add(outgoing)
    }

    /// Requests that the broker has had since before this cell's lease was over are refused: their devices have gone to
    /// other cells and asked again, and perhaps for the opposite since. The plugin takes no others until the next
    /// snapshot of audiences, and the marker goes behind that.
    func noticeLapse() {
        guard writer.store.cells != nil else { return }
        let now = feed.lapses(now: SystemClock.sinceBoot.nanoseconds)
        guard now != lapses else { return }
        lapses = now
        backlog.refuse()
        send(backlog.makeMarker())
    }

    private func noticeSettings() {
        let generation = shared.settings.generation
        guard generation != settingsGeneration else { return }
        settingsGeneration = generation
        let new = shared.settings.current
        writer.apply(new)
        ingress.apply(new)
    }

    private func wait(_ connection: MQTTConnection, canRead: Bool) throws {
        var timeout = Duration.seconds(1)
        let now = readClock()
        let waits = [
            writer.duties.wait(at: writer.moment(now), hasRoom: canRead), writer.cleaning.wait(now: .now),
            writer.typing.nextExpiry.map { max(.zero, now.duration(to: $0)) },
        ]
        for wait in waits.compactMap({ $0 }) { timeout = min(timeout, wait) }
        var watched = [
            WatchedDescriptor(connection.fileDescriptor, read: canRead, write: connection.wantsWrite),
            WatchedDescriptor(queue.intakeWake.descriptor),
        ]
        try waitForEvents(&watched, timeout: timeout)
        if watched[1].isReadable { queue.intakeWake.drain() }
    }

    // MARK: Timers

    /// The present time; sets the writer's clock offset.
    func readClock() -> Timestamp {
        let moment = shared.clock.moment
        writer.clockOffset = moment.clockOffset
        return moment.now
    }

    private func runTimers() {
        let now = readClock()
        // It is tried soon whether it can be written again, also where nobody asks for anything.
        if !shared.readiness[.databaseWritable] { shared.clock.recordNotStored() }
        writer.hear(of: shared.states, now: now)
        if writer.store.cells != nil, ContinuousClock.now >= lookDueAt {
            lookDueAt = .now.advanced(by: Intake.lookInterval)
            writer.duties.lookAgain()
        }
        add(writer.expireTyping(now: now))
        queue.add(writer.runDuties(now: now, hasRoom: queue.hasRoom))
        writer.cleanFiles(now: .now)
        if writer.duties.isBatchDue(at: writer.moment(now), hasRoom: queue.hasRoom) {
            add(writer.carryOut([], now: now).effects)
        }
    }
}

enum IntakeError: Error, CustomStringConvertible {
    case subscriptionRefused(ReasonCode)
    /// The broker has acknowledged the gateway's request to itself, and nothing has come since.
    case silent(Duration)

    var description: String {
        switch self {
        case .subscriptionRefused(let reason): "the broker refuses the subscription to requests: \(reason)"
        case .silent(let silence):
            "the gateway's own request of \(silence.components.seconds) s ago has not come back, nor anything else"
        }
    }
}
