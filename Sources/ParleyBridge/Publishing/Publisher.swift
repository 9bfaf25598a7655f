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
    private var source: PublicationSource
    private let witness: WitnessMark
    private let feed: AudienceFeed
    let shared: GatewayState
    let logger: Logger
    var publications: Publications
    var batch = InboundBatch()
    var acknowledgements: [Acknowledgement] = []
    /// The gateway's request to itself that the broker has not acknowledged.
    var selfRequest: PacketIdentifier?
    private var generator = SystemRandomNumberGenerator()

    init(
        link: BrokerLink, queue: OutQueue, store: Store, backlog: Backlog, witness: WitnessMark, feed: AudienceFeed,
        shared: GatewayState, logger: Logger
    ) {
        self.link = link
        self.queue = queue
        self.store = store
        source = PublicationSource(
            queue: queue, store: store, backlog: backlog, passedOver: shared.passedOver, logger: logger)
        self.witness = witness
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
            shared.turns.recordPublisher()
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
        shared.readiness.set(.connectedToBroker, true)
        defer {
            connection.disconnect()
            shared.readiness.set(.connectedToBroker, false)
            shared.readiness.set(.answeredByPlugin, false)
            selfRequest = nil
            shared.selfRequest.withLock { $0.recordSenderLoss(now: .now) }
        }
        try connection.subscribe(to: AudienceChange.responseTopic)
        try connection.subscribe(to: BrokerStatistics.droppedTopic)
        try connection.subscribe(to: BrokerStatistics.versionTopic)
        try connection.subscribe(to: BrokerStatistics.connectionsTopic)
        try awaitIntake(connection)
        var audience = AudienceRelay(queue: queue, store: store, feed: feed)
        defer { audience.end() }
        try sendSnapshot(&audience, over: connection)
        guard !shared.stop.isRaised else { return }
        shared.readiness.set(.answeredByPlugin, true)
        onReady()
        announce(link.status(.online, since: shared.clock.now))
        shared.onReady()
        var statistics = StatisticsClock()
        while !shared.stop.isRaised {
            try work(&audience, connection)
            try statistics.publish(shared.counters, backlog: queue.load.items, over: connection)
            try connection.flush()
            if mayGather(audience, connection), try awaitWork() { continue }
            try wait(connection, timeout: min(statistics.timeout, source.wait(now: .now) ?? .seconds(1)))
        }
        try finish(&audience, connection)
    }

    /// One round: what was received, then changes of audiences, then as much of the rest as the broker takes.
    private func work(_ audience: inout AudienceRelay, _ connection: MQTTConnection) throws {
        shared.turns.recordPublisher()
        try receive(&audience, connection)
        // In this order: the changes of audiences that were committed with an event or before it are sent before it.
        source.drain()
        try audience.send(over: connection)
        try source.fill(&publications, now: .now) { audience.precede($0) }
        // Before anybody hears of it.
        witness.advance(to: publications.addedThrough)
        try askSelf(over: connection)
        while connection.canPublish, let entry = publications.next {
            guard !entry.isRepeated else {
                publications.dropNext()
                continue
            }
            // Read from the store, it may depend on changes that are on their way here from other cells.
            guard audience.precede(entry.batch.outgoing) else { break }
            // An event of QoS 0 may overtake a change of its audience: it waits for the acknowledgement.
            if entry.item.message.qos == .atMostOnce, audience.isUnacknowledged { break }
            try send(entry, connection)
        }
        queue.release(publications.drainFinished())
        publications.drainQueueTimes(shared.counters.recordDeliveries)
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
        try audience.begin(
            version: UInt64(clamping: shared.clock.now.milliseconds), limits: shared.settings.current.broker)
        while !audience.isReady, !shared.stop.isRaised {
            try audience.sendSnapshot(over: connection)
            try connection.flush()
            try wait(connection, timeout: .seconds(1))
            // Last, so that the answer ends the loop at once.
            try receive(&audience, connection)
        }
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
        shared.turns.recordPublisher()
        var watched = [
            WatchedDescriptor(connection.fileDescriptor, write: connection.wantsWrite),
            WatchedDescriptor(queue.arrived.descriptor),
        ]
        let found = try waitForEvents(&watched, timeout: min(timeout, .seconds(1)))
        if watched[1].isReadable { queue.arrived.drain() }
        if found == 0 { try connection.housekeeping() }
    }
}
