import Logging
import MQTTClient
import Platform
import ParleyProtocol
import ParleyRules
import ParleyStore

/// Owns the `out` connection: changes of audiences, events and replies, in one order.
///
/// After each connecting: a snapshot of the audiences, the plugin's confirmation, unpublished events from the oldest
/// on, then new work. Confined to its thread.
final class Publisher {
    private let link: BrokerLink
    private let queue: OutQueue
    private let store: Store
    private let witness: WitnessMark
    private let feed: AudienceFeed
    private let limits: BrokerLimits
    private let shared: GatewayState
    private let logger: Logger
    private var publications: Publications
    /// `nil` until something is to be published, and where there are no cells.
    private var order: RecordOrder?
    private var backlog: Backlog
    /// Batches from the queue whose numbers of unread messages are not counted yet.
    private var drained: [Outgoing] = []
    private var batch = InboundBatch()
    private var acknowledgements: [Acknowledgement] = []
    /// The gateway's request to itself that the broker has not acknowledged.
    private var selfRequest: PacketIdentifier?
    private var generator = SystemRandomNumberGenerator()

    /// Unacknowledged events of earlier processes, read from the store in parts.
    struct Backlog: Sendable {
        /// The last that was read; at first, the last that the broker has acknowledged.
        fileprivate(set) var position: StreamPosition
        let end: StreamPosition

        fileprivate static let step = 256

        fileprivate var isEmpty: Bool { position >= end }

        /// To be read before the first commit, or new events would be published twice.
        init(in store: Store) throws(StoreError) {
            (position, end) = try store.read { (try $0.outbox.publishedThrough(), try $0.outbox.lastPosition()) }
        }
    }

    init(
        link: BrokerLink, queue: OutQueue, store: Store, backlog: Backlog, witness: WitnessMark, limits: BrokerLimits,
        feed: AudienceFeed, shared: GatewayState, logger: Logger
    ) {
        self.link = link
        self.queue = queue
        self.store = store
        self.backlog = backlog
        self.witness = witness
        self.limits = limits
        self.feed = feed
        self.shared = shared
        self.logger = logger
        publications = Publications(publishedThrough: backlog.position)
    }

    /// Publishes until `stop` is raised, over as many connections as it takes.
    func run() throws {
        var backoff = Backoff(first: .milliseconds(50), longest: .seconds(2))
        var report = RecurringReport(logger: logger)
        while !shared.stop.isRaised {
            do {
                try session {
                    backoff.reset()
                    report.end("connected again")
                }
            } catch let error as StoreError where !error.isPassing {
                throw error
            } catch {
                guard !shared.stop.isRaised else { break }
                report.add("waiting for the broker", "\(error)")
                shared.counters.reconnects.add(1)
            }
            publications.requeueUnacknowledged()
            guard !shared.stop.isRaised else { break }
            var watched = [WatchedDescriptor(queue.arrived.descriptor, read: false)]
            try waitForEvents(&watched, timeout: backoff.next(using: &generator))
        }
    }

    // MARK: One connection

    private func session(onReady: () -> Void) throws {
        let connection = try link.connection(.out, now: shared.clock.now, wall: shared.clock.wall)
        try connection.connect(timeout: .seconds(5))
        defer {
            connection.disconnect()
            selfRequest = nil
            shared.selfRequest.withLock { $0.recordSenderLoss(now: .now) }
        }
        try connection.subscribe(to: AudienceChange.responseTopic)
        try connection.subscribe(to: BrokerStatistics.droppedTopic)
        try awaitIntake(connection)
        var audience = AudienceRelay(queue: queue, store: store, feed: feed)
        defer { audience.end() }
        try sendSnapshot(&audience, over: connection)
        guard !shared.stop.isRaised else { return }
        onReady()
        announce(link.status(.online, since: shared.clock.now))
        shared.onReady()
        var statistics = StatisticsClock()
        while !shared.stop.isRaised {
            try work(&audience, connection)
            try statistics.publish(shared.counters, backlog: queue.load.items, over: connection)
            try connection.flush()
            if mayGather(audience, connection), try awaitWork() { continue }
            try wait(connection, timeout: statistics.timeout)
        }
        try finish(&audience, connection)
    }

    /// One round: what was received, then changes of audiences, then as much of the rest as the broker takes.
    private func work(_ audience: inout AudienceRelay, _ connection: MQTTConnection) throws {
        try receive(&audience, connection)
        // In this order: the changes of audiences that were committed with an event or before it are sent before it.
        try refill()
        // Before anybody hears of it.
        witness.advance(to: publications.addedThrough)
        try audience.send(over: connection)
        try askSelf(over: connection)
        while connection.canPublish, let entry = publications.next {
            guard !entry.isRepeated else {
                publications.dropNext()
                continue
            }
            // The changes that it depends on are on their way here from other cells.
            guard audience.precede(entry.batch.outgoing) else { break }
            // An event of QoS 0 may overtake a change of its audience: it waits for the acknowledgement.
            if entry.item.message.qos == .atMostOnce, audience.isUnacknowledged { break }
            try send(entry, connection)
        }
        queue.release(publications.drainFinished())
        shared.recordPublished(publications)
    }

    /// Goes before the queue, so that it measures the intake and not the load.
    private func askSelf(over connection: MQTTConnection) throws {
        guard connection.canPublish, shared.selfRequest.withLock({ $0.begin(now: .now) }) else { return }
        selfRequest = try connection.publish(topic: SelfRequest.topic, payload: [])
    }

    private func send(_ entry: Publications.Entry, _ connection: MQTTConnection) throws {
        let message = entry.item.message(at: shared.clock.moment.steady)
        do throws(MQTTError) {
            let packet = try connection.publish(message, in: entry.batch.outgoing.bytes)
            publications.recordSent(message.qos == .atLeastOnce ? packet : nil)
        } catch .packetTooLarge, .invalidTopic, .invalidRange {
            drop("it cannot be sent")
        } catch .sendBufferFull {
            try connection.flush()
            try wait(connection, timeout: .milliseconds(100))
        }
    }

    private func drop(_ reason: String) {
        shared.counters.dropped.add(1)
        logger.warning("an event or reply was dropped", metadata: ["reason": "\(reason)"])
        publications.dropNext()
    }

    /// Reads acknowledgements, the plugin's answers and the broker's statistics.
    private func receive(_ audience: inout AudienceRelay, _ connection: MQTTConnection) throws {
        try connection.readBatch(into: &batch, limit: 1000)
        for message in batch.messages {
            let topic = String(decoding: batch.bytes[message.topic], as: UTF8.self)
            let payload = batch.bytes[message.payload]
            if topic == AudienceChange.responseTopic {
                try audience.handle(AudienceCodec.answer(in: Array(payload)))
            } else if topic == BrokerStatistics.droppedTopic,
                let dropped = Int(String(decoding: payload, as: UTF8.self))
            {
                shared.counters.brokerDropped.set(dropped)
            }
        }
        acknowledgements.removeAll(keepingCapacity: true)
        connection.drainAcknowledgements(into: &acknowledgements)
        for acknowledgement in acknowledgements {
            if try audience.handle(acknowledgement) { continue }
            if acknowledgement.packet == selfRequest {
                selfRequest = nil
                shared.selfRequest.withLock { $0.recordAcknowledgement(now: .now) }
                continue
            }
            guard publications.recordAcknowledgement(of: acknowledgement.packet) else { continue }
            shared.counters.published.add(1)
            if acknowledgement.reason.isFailure {
                shared.counters.dropped.add(1)
                logger.warning(
                    "the broker refused an event or reply", metadata: ["reason": "\(acknowledgement.reason)"])
            }
        }
    }

    /// Reads more to publish. Events of an earlier process go before new ones: their positions are lower, and the
    /// published position must not pass them.
    private func refill() throws {
        if !backlog.isEmpty, !publications.hasWaiting { try refillFromStore() }
        guard backlog.isEmpty else { return }
        drained += queue.drainBatches()
        // If the store fails, the batches stay for the next time.
        let scopes = Set(drained.flatMap(\.unreadScopes))
        if !scopes.isEmpty {
            let counts = try store.read { try $0.unread.counts(scopes) }
            for index in drained.indices { drained[index].fillUnreadCounts(counts) }
        }
        while let outgoing = drained.first {
            try publications.add(outgoing, isCounted: true, of: store, in: &order)
            drained.removeFirst()
        }
    }

    private func refillFromStore() throws {
        let (outgoing, last) = try store.read { snapshot in
            let events = try snapshot.outbox.unpublished(after: backlog.position, limit: Backlog.step)
            var outgoing = Outgoing()
            for event in events where event.position <= backlog.end { outgoing.add(event) }
            outgoing.fillUnreadCounts(try snapshot.unread.counts(outgoing.unreadScopes))
            return (outgoing, events.last?.position)
        }
        try publications.add(outgoing, isCounted: false, of: store, in: &order)
        backlog.position = last ?? backlog.end
    }

    // MARK: Beginning and end

    /// Devices sign in after this: their requests need the intake's subscription.
    private func awaitIntake(_ connection: MQTTConnection) throws {
        var audience = AudienceRelay(queue: queue, store: store, feed: feed)
        while !shared.isIntakeAttached.withLock({ $0 }), !shared.stop.isRaised {
            try receive(&audience, connection)
            try connection.flush()
            try wait(connection, timeout: .seconds(1))
        }
    }

    private func sendSnapshot(_ audience: inout AudienceRelay, over connection: MQTTConnection) throws {
        try audience.begin(version: UInt64(clamping: shared.clock.now.milliseconds), limits: limits)
        while !audience.isReady, !shared.stop.isRaised {
            try audience.sendSnapshot(over: connection)
            try connection.flush()
            try wait(connection, timeout: .seconds(1))
            // Last, so that the answer ends the loop at once.
            try receive(&audience, connection)
        }
        audience.follow()
    }

    private func announce(_ status: GatewayStatus) {
        var outgoing = Outgoing()
        outgoing.event(status.topic, position: nil, retain: GatewayStatus.isRetained) { status.writeEvent(to: &$0) }
        publications.add(outgoing, isCounted: false)
    }

    /// Sends the rest, for a bounded time, and publishes that the gateway is offline.
    private func finish(_ audience: inout AudienceRelay, _ connection: MQTTConnection) throws {
        announce(link.status(.offline, since: shared.clock.now))
        let deadline = ContinuousClock.now.advanced(by: .seconds(3))
        repeat {
            try work(&audience, connection)
            try connection.flush()
            if publications.isEmpty, shared.hasIntakeEnded.isRaised, queue.load.items == 0 { break }
            try wait(connection, timeout: .milliseconds(100))
        } while ContinuousClock.now < deadline
    }

    /// Whether acknowledgements may gather, so that many are read at once: under load each would end a wait of its own.
    private func mayGather(_ audience: AudienceRelay, _ connection: MQTTConnection) -> Bool {
        connection.unacknowledgedCount > 0 && connection.canPublish && !connection.wantsWrite
            && !audience.isUnacknowledged && selfRequest == nil && !shared.stop.isRaised
    }

    /// Waits a millisecond for more to publish, and for nothing else.
    private func awaitWork() throws -> Bool {
        var watched = [WatchedDescriptor(queue.arrived.descriptor)]
        guard try waitForEvents(&watched, timeout: .milliseconds(1)) > 0 else { return false }
        queue.arrived.drain()
        return true
    }

    private func wait(_ connection: MQTTConnection, timeout: Duration) throws {
        var watched = [
            WatchedDescriptor(connection.fileDescriptor, write: connection.wantsWrite),
            WatchedDescriptor(queue.arrived.descriptor),
        ]
        let found = try waitForEvents(&watched, timeout: min(timeout, .seconds(1)))
        if watched[1].isReadable { queue.arrived.drain() }
        if found == 0 { try connection.housekeeping() }
    }
}

extension Outgoing {
    /// Adds an event that was committed by an earlier process.
    mutating func add(_ event: UnpublishedEvent) {
        switch event {
        case .record(let position, let record): announce(record, position: position)
        case .event(let position, let topic, let payload, let retain, let unread):
            raw(topic: topic, payload: payload, position: position, retain: retain, unread: unread)
        }
    }
}
