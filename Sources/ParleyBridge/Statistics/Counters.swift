import ParleyProtocol
import ParleyStore
import Prometheus
import Synchronization

/// What the gateway counts and measures, for `gateway/stats` and `/metrics`.
final class Counters: Sendable {
    /// By operation, and those that there are not.
    let operations: [Operation: OperationMetrics]
    let unknownOperation = OperationMetrics()
    let refusals = Dictionary(uniqueKeysWithValues: ErrorCode.allCases.map { ($0, Counter()) })
    let batchSizes = Histogram(MetricBounds.batchSizes)
    let commitTimes = Histogram(MetricBounds.commitTimes, in: .microseconds)
    let deliveryLags = Histogram(MetricBounds.lags, in: .microseconds)
    let services = Dictionary(uniqueKeysWithValues: PushProvider.allCases.map { ($0, PushServiceMetrics()) })
    let requests = Counter()
    let messages = Counter()
    let reports = Counter()
    let rejected = Counter()
    let ignored = Counter()
    let reads = Counter()
    let standbyReads = Counter()
    let standbyLags = Counter()
    let standbyLosses = Counter()
    let batches = Counter()
    let failedBatches = Counter()
    let conflicts = Counter()
    let published = Counter()
    let dropped = Counter()
    let reconnects = Counter()
    let intakeResets = Counter()
    /// The broker's own count of dropped messages, of all clients.
    let brokerDropped = Counter()
    let refusedSignIns = Counter()
    let turnedAway = Counter()
    let notReady = Counter()
    let overLimit = Counter()
    let disconnected = Counter()
    let notKept = Counter()
    let slowReadersEnded = Counter()
    let sessionsRemoved = Counter()
    let madeAnew = Counter()
    let accessEnded = Counter()
    let tokensExpired = Counter()
    let pushesSent = Counter()
    let pushesPostponed = Counter()
    let pushesRefused = Counter()
    let pushesDropped = Counter()
    let pushesUncertain = Counter()
    /// For `admin/status`.
    let operating = OperatingFacts()

    init(_ entries: [OperationTable.Entry] = OperationTable.entries) {
        operations = Dictionary(entries.map { ($0.request.operation, OperationMetrics()) }) { first, _ in first }
    }

    /// In the order of their names, and last those that there are not.
    var allOperations: [(name: String, metrics: OperationMetrics)] {
        operations.map { (name: "\($0.key)", metrics: $0.value) }.sorted { $0.name < $1.name }
            + [(name: "unknown", metrics: unknownOperation)]
    }

    func recordRead(by server: ReadServer) {
        switch server {
        case .primary: break
        case .standby: standbyReads.add(1)
        case .primaryForLaggingStandby: standbyLags.add(1)
        case .primaryForLostStandby: standbyLosses.add(1)
        }
    }

    /// Sets the counts of the broker's plugin.
    func update(from counts: BrokerCounts) {
        refusedSignIns.set(counts.refusedSignIns)
        turnedAway.set(counts.turnedAway)
        notReady.set(counts.notReady)
        overLimit.set(counts.overLimit)
        disconnected.set(counts.disconnected)
        notKept.set(counts.notKept)
        slowReadersEnded.set(counts.slowReadersEnded)
        sessionsRemoved.set(counts.sessionsRemoved)
        madeAnew.set(counts.madeAnew)
        accessEnded.set(counts.accessEnded)
        tokensExpired.set(counts.tokensExpired)
    }

    /// The counters with their names under `gateway/stats/`.
    static let named: [(name: String, meaning: String, counter: any KeyPath<Counters, Counter> & Sendable)] = [
        ("requests", "requests that were read", \.requests),
        ("messages", "messages that were committed", \.messages),
        ("reports", "reports that were kept for the operators", \.reports),
        ("rejected", "requests that were refused", \.rejected),
        ("ignored", "what was no request, or typing out of time", \.ignored),
        ("reads", "reads that were answered", \.reads),
        ("standby-reads", "of these, by the standby", \.standbyReads),
        ("standby-behind", "reads that the primary answered, as the standby had not come far enough", \.standbyLags),
        ("standby-away", "reads that the primary answered, as the standby could not be read", \.standbyLosses),
        ("batches", "transactions that were committed", \.batches),
        ("failed-batches", "transactions that failed", \.failedBatches),
        ("conflicts", "transactions that were tried again, as another gateway was in the way", \.conflicts),
        ("published", "events and replies that the broker has acknowledged", \.published),
        ("set-aside", "events and replies that were dropped, or that the broker refused", \.dropped),
        ("reconnects", "connections to the broker that were made again", \.reconnects),
        ("intake-resets", "of these, because the gateway's request to itself did not come back", \.intakeResets),
        ("broker-dropped", "messages that the broker dropped, as it says itself", \.brokerDropped),
        ("refused-sign-ins", "sign-ins without a good token, of all clients", \.refusedSignIns),
        ("turned-away", "sign-ins that were closed without a verdict because of a limit", \.turnedAway),
        ("not-ready", "sign-ins that were closed without a verdict because the gateway was away", \.notReady),
        ("over-limit", "publishes and filters that the broker refused because of a device's limits", \.overLimit),
        ("taken-off", "connections that were ended because their device went on past its limits", \.disconnected),
        ("not-kept", "events that the broker did not keep for a device that is away and had its share", \.notKept),
        ("pushes", "notifications that push services have taken", \.pushesSent),
        ("pushes-postponed", "attempts at notifications that are tried again", \.pushesPostponed),
        ("pushes-refused", "notifications that push services will never take", \.pushesRefused),
        ("pushes-dropped", "notifications that were not sent: too late, read meanwhile, superseded", \.pushesDropped),
        ("pushes-uncertain", "answers that were lost: the notification is sent again, by its id", \.pushesUncertain),
        ("slow-readers", "connections that were ended because the broker's memory was full", \.slowReadersEnded),
        ("sessions-removed", "sessions of devices that are away, removed for the broker's memory", \.sessionsRemoved),
        ("made-anew", "connections that were ended because what was kept for them had to be dropped", \.madeAnew),
        ("access-ended", "connections that were ended because who may be signed in has changed", \.accessEnded),
        ("tokens-expired", "connections that were ended because their token was over", \.tokensExpired),
    ]

    /// Those that ``MetricFamily`` has without labels.
    static var unlabelled: [(name: String, meaning: String, counter: any KeyPath<Counters, Counter> & Sendable)] {
        named.filter { $0.name != "requests" && $0.name != "rejected" && !$0.name.hasPrefix("pushes") }
    }
}

final class Counter: Sendable {
    private let value = Atomic<Int>(0)

    func add(_ amount: Int) { value.wrappingAdd(amount, ordering: .relaxed) }
    func set(_ amount: Int) { value.store(amount, ordering: .relaxed) }
    var current: Int { value.load(ordering: .relaxed) }
}
