import Logging
import ParleyProtocol
import ParleyRules
import ParleyStore
import Sodium

/// Carries out commands: a batch is one transaction, and everything that follows from it waits for the COMMIT.
///
/// Confined to the intake's thread. Its caches hold copies of what is stored, and are discarded when a transaction
/// fails.
final class Writer {
    let store: Store
    private(set) var settings: Settings
    let counters: Counters
    let readiness: Readiness
    var report: RecurringReport

    private var environment: BatchEnvironment
    private let cache: FactCache
    var limits: UserLimits { environment.limits }
    var push: PushGate { environment.push }
    let lastSeen = LastSeenDuty()
    private(set) var typing: TypingTracker
    /// How far its time is ahead of the steady time, in milliseconds; see `GatewayClock`.
    var clockOffset: Int64 = 0
    let duties: Duties
    let held: HeldReplies
    /// What the last transaction depended on.
    private var required = StreamVector()
    var cleaning = CleaningClock()
    /// The time that users' writes took lately.
    var times = WriteTimes()
    /// The clock by which writes are measured.
    private let instant: () -> ContinuousClock.Instant

    /// - Parameters:
    ///   - limits: shared with the readers; `nil` for limits of this writer's own.
    ///   - push: the writer's side of pushes.
    ///   - published: the last position that the broker has acknowledged.
    ///   - clock: is stored; `nil` for a writer whose clock is not.
    ///   - mails: for the thread that sends them.
    ///   - presence: `nil` for a writer that publishes none.
    ///   - access: `nil` for a writer that makes no operator device.
    ///   - instant: the clock by which writes are measured.
    init(
        store: Store, settings: Settings, tokens: TokenIssuer, limits: UserLimits? = nil, push: PushGate? = nil,
        counters: Counters, published: PublishedPosition = PublishedPosition(), clock: MachineClock? = nil,
        mails: MailOutbox = MailOutbox(), presence: PresenceDuty? = nil, access: ReservedDevicesDuty? = nil,
        held: HeldReplies = HeldReplies(), readiness: Readiness = Readiness(), logger: Logger,
        instant: @escaping () -> ContinuousClock.Instant = { .now }
    ) {
        self.instant = instant
        self.held = held
        self.store = store
        self.settings = settings
        self.counters = counters
        self.readiness = readiness
        report = RecurringReport(logger: logger)
        environment = BatchEnvironment(
            settings: settings, tokens: tokens, limits: limits ?? UserLimits(settings),
            storage: StorageAccounts(settings, isShared: store.cells != nil), push: push ?? PushGate(settings),
            cells: store.cells)
        cache = FactCache(capacity: settings.cachedConversations)
        typing = TypingTracker(startInterval: settings.typingInterval)
        duties = Duties(
            lastSeen: lastSeen, limits: environment.limits, published: published,
            announcements: environment.push.announcements, mails: mails, clock: clock, presence: presence,
            access: access, cells: store.cells, people: environment.push.people)
    }

    /// New settings, for the batches from here on.
    func apply(_ new: Settings) {
        settings = new
        environment.apply(new)
    }

    // MARK: A batch

    struct Outcome {
        var effects: Effects
        /// Whether the writes are on disk.
        let isCommitted: Bool
    }

    /// Carries out all of `requests`, or rejects each of them, and runs the duties that go with batches, also without
    /// requests. When this returns, the accepted requests are on disk.
    func carryOut(_ requests: [IncomingCommand], now: Timestamp) -> Outcome {
        do throws(StoreError) {
            let (effects, rejections) = try repeating { alone throws(StoreError) in
                try attempt(requests, now: now, alone: alone)
            }
            counters.recordBatch(requests, rejections)
            readiness.recordDatabase(isWritable: true)
            report.end("the database can be written again")
            return Outcome(effects: effects, isCommitted: true)
        } catch {
            counters.failedBatches.add(1)
            report.add("a batch could not be committed", error)
            readiness.recordDatabase(isWritable: false)
            guard !error.isPassing, requests.count > 1 else {
                counters.recordFailed(requests, error)
                return Outcome(effects: Effects(refusing: requests, error), isCommitted: false)
            }
            // One of them has caused an internal error: the others are carried out without it.
            let effects = requests.reduce(into: Effects()) { effects, request in
                effects.append(carryOut([request], now: now).effects)
            }
            return Outcome(effects: effects, isCommitted: false)
        }
    }

    /// How often a transaction is tried that neighbours are in the way of, and from which time on while they wait.
    private static let attempts = 8
    private static let firstAlone = 4

    /// Carries out a transaction, again where a neighbour was in the way.
    ///
    /// - Parameter transaction: is told whether neighbours are to wait for it. It leaves nothing behind when it fails.
    func repeating<Result>(
        _ transaction: (_ alone: Bool) throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        for number in 1..<Writer.attempts {
            do throws(StoreError) { return try transaction(number >= Writer.firstAlone) } catch {
                guard error.mayPassAtOnce(amongNeighbours: store.cells != nil) else { throw error }
                counters.conflicts.add(1)
            }
        }
        return try transaction(true)
    }

    private func attempt(
        _ requests: [IncomingCommand], now: Timestamp, alone: Bool
    ) throws(StoreError) -> (Effects, [CommandRejection]) {
        var parts: [Duties.Part] = []
        do throws(StoreError) {
            let isGathered = requests.allSatisfy(\.request.isGathered) && !duties.hasSharedParts(at: moment(now))
            let isolation = isGathered ? Isolation.byConversation : alone ? .alone : .serializable
            let (rejections, effects) = try write(now: now, isolation: isolation) { batch throws(StoreError) in
                try carryOut(requests, in: batch)
                try batch.markProgressOfChallenges()
                parts = try duties.run(afterRequestsOf: batch)
                return batch.afterCommit.rejections
            }
            for recordCommitted in parts { recordCommitted() }
            return (effects, rejections)
        } catch {
            duties.recordFailedBatch(at: moment(now))
            throw error
        }
    }

    /// One transaction, and its consequences in memory when it is committed.
    func write<Result>(
        now: Timestamp, isolation: Isolation = .serializable, _ body: (Batch) throws(StoreError) -> Result
    ) throws(StoreError) -> (Result, Effects) {
        environment.storage.begin(at: moment(now).steady)
        var decidedAt: ContinuousClock.Instant?
        let (batch, result) = try push.displaying.during { () throws(StoreError) in
            try store.write(isolation: isolation) { transaction in
                let batch = Batch(transaction, environment, cache: cache, at: moment(now))
                let result = try body(batch)
                try batch.feed.publishNotifications()
                if store.cells != nil { try batch.shareAudience() }
                try batch.flush()
                try batch.storeCounts()
                decidedAt = .now
                return (batch, result)
            }
        }
        if let decidedAt { counters.recordCommit(from: decidedAt) }
        // Among cells neighbours may change at any time what was read.
        batch.recordCommit(keepingFacts: store.cells == nil)
        finish(batch.afterCommit, &batch.effects, now: now)
        if let cells = store.cells { share(&batch.effects, with: cells) }
        return (result, batch.effects)
    }

    /// What follows from a transaction among cells: its events wait for the changes of audiences that it depends on.
    private func share(_ effects: inout Effects, with cells: any Cells) {
        let requires = cells.dependencies
        effects.outgoing.requires = requires
        if let replies = effects.outgoing.takeHeldReplies() { held.add(replies, until: requires[cells.own]) }
        // The changes are to be read before the events can be published.
        if requires != required { cells.wake() }
        required = requires
    }

    private func finish(_ after: AfterCommit, _ effects: inout Effects, now: Timestamp) {
        counters.record(after)
        for device in after.endedDevices { lastSeen.forget(device) }
        duties.wake(after.wakes)
        if after.hasRemovedCiphertext { cleaning.markUnclean() }
        push.recordCommitted(after.push)
        effects.announce(after.typing, on: &typing, now: now)
    }

    /// Stops typing that was not renewed in time.
    func expireTyping(now: Timestamp) -> Effects {
        var effects = Effects()
        for indicator in typing.expire(now: now) { effects.announce(indicator) }
        return effects
    }

    func moment(_ now: Timestamp) -> Moment { Moment(now: now, clockOffset: clockOffset) }

    // MARK: Requests

    /// Gathers the facts of successive frequent commands at once; any other command reads its own.
    private func carryOut(_ requests: [IncomingCommand], in batch: Batch) throws(StoreError) {
        var rest = requests[...]
        while let first = rest.first {
            let run = first.request.isGathered ? rest.prefix { $0.request.isGathered } : rest.prefix(1)
            if first.request.isGathered { try batch.gather(run) } else { batch.dropGathered() }
            for index in run.indices { try answer(run[index], index, in: batch) }
            rest = rest.dropFirst(run.count)
        }
    }

    /// - Parameter index: of the request in its batch.
    private func answer(_ incoming: IncomingCommand, _ index: Int, in batch: Batch) throws(StoreError) {
        let begin = instant()
        batch.requestIndex = index
        let (replies, changes) = (batch.effects.outgoing.items.count, batch.effects.audience.count)
        defer {
            times.record(begin.duration(to: instant()), of: incoming.sender.user)
            if batch.effects.audience.count > changes {
                batch.effects.outgoing.holdReplies(from: replies)
            } else if !incoming.request.isGathered, store.cells?.hasNeighbours == true,
                !batch.effects.outgoing.hasEvents(from: replies)
            {
                // It may be a repetition, whose change of an audience is another cell's and not in force everywhere.
                batch.effects.outgoing.holdReplies(from: replies)
                batch.effects.isFenced = true
            }
        }
        do {
            try AuthorizeRule.check(incoming.askers, role: try batch.device(incoming.sender)?.role)
            lastSeen.record(incoming.sender, now: batch.now)
            try incoming.request.carryOut(incoming.route, by: incoming.finding, in: batch)
        } catch let rejection as Rejection {
            batch.recordRejection(rejection)
            batch.effects.outgoing.reject(incoming.route, rejection)
        } catch {
            throw StoreError(error)
        }
    }
}

extension Effects {
    /// Refuses requests because of a failure of the database or a fault of ours.
    fileprivate init(refusing requests: [IncomingCommand], _ error: StoreError) {
        self.init()
        for request in requests {
            outgoing.reject(request.route, error.isPassing ? .unavailable : .internalFault)
        }
    }

    /// Announces typing, each change in order with the events and replies.
    fileprivate mutating func announce(
        _ changes: [(itemsBefore: Int, change: AfterCommit.TypingChange)], on typing: inout TypingTracker,
        now: Timestamp
    ) {
        var counts: [Int] = []
        for (itemsBefore, change) in changes {
            let before = outgoing.items.count
            switch change {
            case .started(let conversation, let sender):
                announce(typing.start(conversation, sender: sender, now: now))
            case .stopped(let conversation, let sender):
                announce(typing.stop(conversation, sender: sender, now: now))
            case .left(let conversation, let user):
                for indicator in typing.leave(conversation, user: user, now: now) { announce(indicator) }
            }
            counts += repeatElement(itemsBefore, count: outgoing.items.count - before)
        }
        outgoing.moveLast(behind: counts)
    }
}
