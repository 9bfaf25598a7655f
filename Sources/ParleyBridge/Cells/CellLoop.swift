import Logging
import MQTTClient
import ParleyProtocol
import ParleyStore
import Platform

/// Reads the streams of the other cells: changes of audiences for the broker's plugin, and events for this cell's
/// devices. Confined to its thread.
///
/// A round reads all streams in one snapshot. Whatever an event depends on was committed before it, so the snapshot has
/// it; changes of audiences go first. How far this cell has come it writes where the others see it.
final class CellLoop {
    private let cells: any Cells
    private let store: Store
    private let queue: OutQueue
    private let feed: AudienceFeed
    private let held: HeldReplies
    private let rates: RateExchange
    private var interest: Interest
    private let shared: GatewayState
    /// Read so far: changes of audiences of all streams, and events of the others.
    private var changes = StreamVector()
    private var events = StreamVector()
    /// The last of these that somebody here may hear.
    private var queued = StreamVector()
    /// Where this process began to read events.
    private var begun = StreamVector()
    private var saved: [Int: CellMark] = [:]
    private var markDueAt = ContinuousClock.now
    private var hasBegun = false
    /// Changes of audiences of this cell were removed up to here.
    private var cleaned = StreamPosition.start
    private var cleanAt = ContinuousClock.now
    private var report: RecurringReport

    /// How often a doorbell that nobody heard is made up for.
    private static let poll = Duration.milliseconds(250)
    private static let cleaningInterval = Duration.seconds(1)
    /// How many events of a stream one round reads.
    private static let step = 256
    /// How often it is stored how far events were published. After a crash those behind it are sent again, which their
    /// readers recognize by their seq.
    private static let markInterval = Duration.milliseconds(200)
    /// The longest rest after a round that has read events.
    private static let longestRest = Duration.milliseconds(20)

    init(
        cells: any Cells, store: Store, queue: OutQueue, feed: AudienceFeed, held: HeldReplies,
        rates: RateExchange, people: ConnectedPeople, shared: GatewayState, logger: Logger
    ) {
        interest = Interest(people: people)
        self.cells = cells
        self.store = store
        self.queue = queue
        self.feed = feed
        self.held = held
        self.rates = rates
        self.shared = shared
        report = RecurringReport(logger: logger)
    }

    /// Runs until `stop` is raised, or the database is found to have lost commits.
    func run() {
        while !shared.stop.isRaised {
            do {
                let begin = ContinuousClock.now
                let hasMoreRates = try shareRates()
                let found = try round()
                report.end("the other cells are heard again")
                try cells.sendSignals()
                if found == .all { try rest(for: begin.duration(to: .now)) }
                hear(try cells.wait(for: found == .some || hasMoreRates ? .zero : CellLoop.poll))
            } catch {
                let error = StoreError(error)
                if case .lostCommits = error {
                    shared.storeEnd.withLock { $0 = $0 ?? error }
                    return
                }
                report.add("the other cells cannot be heard", error)
                // Nothing is removed while it is not known who needs it.
                shared.publishedThrough.neededByCells = Stream(cell: cells.own).start
                var nothing: [WatchedDescriptor] = []
                _ = try? waitForEvents(&nothing, timeout: CellLoop.poll)
            }
        }
    }

    /// Waits as long as a round with events took, so that under load the next reads more at once: a round costs the
    /// database as much as some dozens of events do.
    private func rest(for time: Duration) throws {
        var nothing: [WatchedDescriptor] = []
        _ = try waitForEvents(&nothing, timeout: min(time, CellLoop.longestRest))
    }

    /// Publishes what others have signalled: typing, which nobody misses if it gets lost. While the broker is away it
    /// would pile up.
    private func hear(_ signals: [CellSignal]) {
        guard feed.isFollowing, queue.hasRoom else { return }
        var outgoing = Outgoing()
        for signal in signals {
            let topic = Array(signal.topic.utf8)
            guard case .conversation(_, .typing) = Topic(parsing: topic.span) else { continue }
            outgoing.raw(topic: topic, payload: Array(signal.payload.utf8), position: nil, qos: .atMostOnce)
        }
        queue.add(outgoing)
    }

    /// How much of what was spent is shared at once.
    private static let ratesAtOnce = 64

    /// - Returns: whether there is more.
    private func shareRates() throws(StoreError) -> Bool {
        let spendings = rates.drainOwn(limit: Self.ratesAtOnce)
        rates.record(try cells.share(spendings))
        return spendings.count == Self.ratesAtOnce
    }

    // MARK: A round

    private struct Found {
        var changes: [AudienceChange] = []
        var through = StreamVector()
        var outgoing = Outgoing()
        /// What the writer's thread publishes.
        var states: [StateSubject: [UInt8]] = [:]
        var events = StreamVector()
        var queued = StreamVector()
        var interest: Interest
        var others: [CellState] = []
        /// Of this cell's stream.
        var end = StreamPosition.start
        var hasMore = false
    }

    /// Events of the others that a round has read.
    private enum Progress {
        case none
        case all
        /// There are more to be read at once.
        case some
    }

    private func round() throws -> Progress {
        let hasRoom = queue.hasRoom && shared.states.hasRoom
        let found = try feed.inTurn {
            let round = feed.beginRound()
            if let snapshot = round.snapshot { changes.advance(to: snapshot) }
            let committed = cells.committed
            let found = try store.read { snapshot in
                let states = try cells.states(in: snapshot)
                try check(states, committed)
                return try read(states, in: snapshot, changes: round.readsChanges, events: hasRoom)
            }
            // Before what may come behind it.
            shared.passedOver.withLock { $0 = found.interest.firsts }
            queue.add(found.outgoing, audience: found.changes, through: found.through)
            if feed.end(round) { queue.arrived.signal() }
            return found
        }
        if !found.states.isEmpty {
            shared.states.add(found.states)
            queue.intakeWake.signal()
        }
        changes.advance(to: found.through)
        let hasEvents = found.others.contains { found.events[$0.number] > events[$0.number] }
        events.advance(to: found.events)
        interest = found.interest
        queued.advance(to: found.queued)
        try saveMarks(of: found.others)
        release(found.others)
        try cleanUp(found.others, end: found.end)
        guard hasEvents else { return .none }
        return found.hasMore ? .some : .all
    }

    /// Checks that no stream is behind what was read of it or committed to it.
    private func check(_ states: [CellState], _ committed: StreamPosition) throws(StoreError) {
        for state in states {
            let known = state.number == cells.own ? committed : max(events[state.number], changes[state.number])
            guard state.position < known, known > Stream(cell: state.number).start else { continue }
            throw .lostCommits(message: "the stream of the cell \(state.name) ends before what was read of it")
        }
    }

    private func read(
        _ states: [CellState], in snapshot: Snapshot, changes readsChanges: Bool, events readsEvents: Bool
    ) throws -> Found {
        var found = Found(interest: interest)
        if !hasBegun {
            let own = Stream(cell: cells.own).start
            begun = try cells.beginning(own: own, of: states, in: snapshot)
            events.advance(to: begun)
            hasBegun = true
        }
        var subjects: [AudienceChange.Subject: AudienceChange] = [:]
        for state in states {
            if state.number == cells.own { found.end = state.position } else { found.others.append(state) }
            guard readsChanges, state.audience > changes[state.number] else { continue }
            for (_, bytes) in try cells.audienceChanges(in: snapshot, after: changes[state.number]) {
                do throws(AudienceFeedError) {
                    for change in try AudienceCodec.changes(in: bytes) { subjects[change.subject] = change }
                } catch {
                    // Of a cell of another version: a snapshot of all audiences has it.
                    feed.markStale()
                }
            }
            found.through.advance(to: state.audience)
        }
        found.changes = try subjects.values.compactMap(snapshot.state).groupsLast
        guard readsEvents else { return found }
        let now = ContinuousClock.now
        try add(try found.interest.begin(at: now, read: events, in: snapshot), snapshot, to: &found)
        for state in found.others where state.position > events[state.number] {
            try read(state, at: now, snapshot, into: &found)
        }
        found.outgoing.fillUnreadCounts(try snapshot.unread.counts(found.outgoing.unreadScopes))
        return found
    }

    private func read(
        _ state: CellState, at now: ContinuousClock.Instant, _ snapshot: Snapshot, into found: inout Found
    ) throws {
        let entries = try snapshot.outbox.entries(
            after: events[state.number], in: Stream(cell: state.number), limit: CellLoop.step)
        try add(try found.interest.positions(of: entries, at: now, in: snapshot), snapshot, to: &found)
        if entries.count == CellLoop.step, let last = entries.last {
            found.events.advance(to: last.position)
            found.hasMore = true
        } else {
            found.events.advance(to: state.position)
        }
    }

    private func add(_ positions: [StreamPosition], _ snapshot: Snapshot, to found: inout Found) throws {
        for event in try snapshot.outbox.events(at: positions) {
            if let (subject, payload) = event.state {
                found.states[subject] = payload
            } else {
                found.outgoing.add(event)
                found.queued.advance(to: event.position)
            }
        }
    }

    // MARK: Marks and replies

    /// Changes of audiences that are in force are told at once, events now and then.
    private func saveMarks(of others: [CellState]) throws(StoreError) {
        let (inForce, published) = (feed.inForce, shared.publishedStreams.withLock { $0 })
        let isDue = ContinuousClock.now >= markDueAt
        var marks: [CellMark] = []
        let (isTelling, passedOver) = (shared.states.isTelling, shared.passedOver.withLock { $0 })
        var tells = false
        for state in others {
            let stream = state.number
            let start = Stream(cell: stream).start
            // Behind the last that somebody here may hear there is nothing to publish.
            var position = published[stream] >= queued[stream] ? events[stream] : published[stream]
            if let first = passedOver[stream] { position = min(position, first.previous) }
            let least = saved[stream]?.position ?? begun[stream]
            let mark = CellMark(
                writer: stream, position: isTelling ? least : max(position, least), audience: inForce[stream])
            let old = saved[stream] ?? CellMark(writer: stream, position: start, audience: start)
            let isAwaited = mark.audience > old.audience
            guard isAwaited || isDue && mark.position > old.position else { continue }
            tells = tells || isAwaited
            saved[state.number] = mark
            marks.append(mark)
        }
        guard !marks.isEmpty else { return }
        try cells.save(marks, tells: tells)
        markDueAt = .now + CellLoop.markInterval
    }

    /// A cell that was away for more events than this leaves them to its devices, which ask for what they missed.
    static let longestBacklog = 10_000

    /// Lets go of what every cell has read that is live, or was lately and may come back.
    ///
    /// - Parameter end: of this cell's stream.
    private func cleanUp(_ others: [CellState], end: StreamPosition) throws(StoreError) {
        let start = Stream(cell: cells.own).start
        let lately = others.filter(\.wasLiveLately)
        shared.publishedThrough.neededByCells =
            lately.map { neededPosition(of: $0, end: end) }.min() ?? StreamPosition(number: .max)
        let needed = lately.map { $0.mark?.audience ?? start }.min() ?? feed.inForce[cells.own]
        let position = min(needed, feed.inForce[cells.own])
        guard position > cleaned, ContinuousClock.now >= cleanAt else { return }
        try cells.removeAudienceChanges(through: position)
        cleaned = position
        cleanAt = .now + CellLoop.cleaningInterval
    }

    private func neededPosition(of reader: CellState, end: StreamPosition) -> StreamPosition {
        let position = reader.mark?.position ?? Stream(cell: cells.own).start
        return reader.isLive ? position : max(position, StreamPosition(number: end.number - CellLoop.longestBacklog))
    }

    /// Lets replies go whose changes are in force here and in every cell that is live.
    private func release(_ others: [CellState]) {
        guard !held.isEmpty else { return }
        var position = feed.inForce[cells.own]
        for state in others where state.isLive {
            position = min(position, state.mark?.audience ?? Stream(cell: cells.own).start)
        }
        for replies in held.release(through: position) { queue.add(replies) }
    }
}

extension Cells {
    /// From where on this cell publishes each stream: it goes on from where it had come.
    ///
    /// - Parameters:
    ///   - own: the same in its own stream.
    ///   - states: of the cells, as the snapshot has them.
    func beginning(
        own: StreamPosition, of states: [CellState], in snapshot: Snapshot
    ) throws(StoreError) -> StreamVector {
        let saved = try ownMarks(in: snapshot)
        let (marks, known) = (StreamVector(saved.map(\.position)), Set(saved.map(\.writer)))
        return StreamVector(
            [own]
                + states.filter { $0.number != self.own }.map { state in
                    let mark = marks[state.number]
                    let isNear = mark.distance(to: state.position) <= CellLoop.longestBacklog
                    return known.contains(state.number) && isNear ? mark : state.position
                })
    }

    /// Stores how far events of the others were published when this cell ends.
    func saveEnd(_ published: StreamVector, in store: Store) throws(StoreError) {
        let marks = try store.read { try ownMarks(in: $0) }.map { mark in
            var mark = mark
            mark.position = max(mark.position, published[mark.writer])
            return mark
        }
        if !marks.isEmpty { try save(marks, tells: false) }
    }
}

extension Store {
    /// Whether other cells may have gone on without this one.
    var wasAway: Bool {
        get throws {
            guard let cells else { return false }
            let states = try read { try cells.states(in: $0) }
            return states.count > 1 && states.contains { $0.number == cells.own && !$0.isLive }
        }
    }
}
