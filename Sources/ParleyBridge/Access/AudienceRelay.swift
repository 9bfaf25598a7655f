import MQTTClient
import ParleyProtocol
import ParleyStore

/// Feeds the broker's plugin over one connection of the publisher's: all audiences at first, then what the queue has.
///
/// Among several gateways it knows how far it has come in the changes of each.
struct AudienceRelay {
    private let queue: OutQueue
    private let store: Store
    private let feed: AudienceFeed
    private var sender = AudienceSender()
    /// The changes up to here were given to the sender.
    private var through = StreamVector()
    private var lease = Lease.endless
    /// Those that the plugin was last known to have.
    private var inForce = StreamVector()
    private var known = Lease.endless
    /// What the end of the snapshot has come to.
    private var isAwaitingLease = false
    private var isFinishing = false

    init(queue: OutQueue, store: Store, feed: AudienceFeed) {
        self.queue = queue
        self.store = store
        self.feed = feed
    }

    /// Whether the snapshot is in force.
    var isReady: Bool { sender.isReady }

    /// Whether a change may not have arrived yet.
    var isUnacknowledged: Bool { sender.isUnacknowledged }

    /// Begins with a snapshot of all audiences.
    ///
    /// - Parameter limits: read when changes from then on are no longer dropped.
    mutating func begin(version: UInt64, limits: @autoclosure () -> BrokerLimits) throws {
        try feed.inTurn {
            // Changes from here on are sent after the snapshot, which may hold them already; applied twice they change
            // nothing.
            queue.forgetAudience()
            let (messages, end) = try store.read { snapshot in
                (
                    try snapshot.audienceMessages(version: version, limits: limits()),
                    try store.cells.map { StreamVector(try $0.states(in: snapshot).map(\.audience)) } ?? StreamVector()
                )
            }
            sender.begin(messages, version: version)
            through = end
            feed.beginSnapshot(at: end)
        }
    }

    /// Sends what waits of the snapshot. When the plugin has it all it comes into force; among several gateways under a
    /// lease, and with what has changed since.
    mutating func sendSnapshot(over connection: MQTTConnection) throws {
        guard !feed.isStale else { throw AudienceError.changesMissed }
        if !sender.isUnacknowledged, !isFinishing {
            if store.cells != nil, !isAwaitingLease {
                isAwaitingLease = true
                feed.awaitLease()
            }
            if store.cells == nil || feed.hasCaughtUp {
                let (changes, end) = queue.drainAudience()
                through.advance(to: end)
                lease = feed.lease
                sender.finish(with: changes + [lease.change])
                isFinishing = true
            }
        }
        try sender.send([], over: connection)
    }

    /// Sends the changes that the queue has.
    mutating func send(over connection: MQTTConnection) throws {
        guard !feed.isStale else { throw AudienceError.changesMissed }
        let (changes, end) = queue.drainAudience()
        through.advance(to: end)
        for case .lease(let end) in changes { lease = Lease(end: end) }
        try sender.send(changes, over: connection)
        guard let cells = store.cells, !sender.isUnacknowledged, through != inForce || lease != known else { return }
        let isNew = through != inForce
        (inForce, known) = (through, lease)
        feed.recordInForce(through, lease: lease)
        if isNew { cells.wake() }
    }

    /// Whether the changes that events depend on went before them.
    func precede(_ outgoing: Outgoing) -> Bool { through.covers(outgoing.requires) }

    /// - Returns: whether the acknowledgement was for a change.
    mutating func handle(_ acknowledgement: Acknowledgement) throws -> Bool { try sender.handle(acknowledgement) }

    mutating func handle(_ answer: AudienceAnswer?) throws {
        let wasReady = isReady
        try sender.handle(answer)
        guard isReady, !wasReady else { return }
        // The snapshot is in force.
        inForce = through
        feed.follow(at: through, under: lease)
    }

    /// The connection is gone.
    func end() { feed.detach() }
}
