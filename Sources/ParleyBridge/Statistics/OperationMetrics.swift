import ParleyProtocol
import ParleyStore
import Prometheus

/// What is measured of one operation.
final class OperationMetrics: Sendable {
    let accepted = Counter()
    let rejected = Counter()
    /// From when the request was read to when its answer was handed on.
    let time = Histogram(MetricBounds.requestTimes, in: .microseconds)

    /// An answer was handed on.
    ///
    /// - Parameter begin: when the request was read.
    func record(isRejected: Bool, from begin: ContinuousClock.Instant?, to end: ContinuousClock.Instant) {
        (isRejected ? rejected : accepted).add(1)
        if let begin { time.record(begin.duration(to: end)) }
    }
}

extension OperationMetrics {
    /// So many requests that were read together were accepted together.
    func recordAccepted(_ count: Int, from begin: ContinuousClock.Instant?, to end: ContinuousClock.Instant) {
        accepted.add(count)
        if let begin { time.record(begin.duration(to: end), times: count) }
    }
}

/// What is measured of one push service.
struct PushServiceMetrics: Sendable {
    let accepted = Counter()
    let postponed = Counter()
    let refused = Counter()
    let dropped = Counter()
    let uncertain = Counter()
    /// Present.
    let waiting = Counter()
    /// From what a notification is about to when its service accepted it.
    let lag = Histogram(MetricBounds.lags, in: .microseconds)

    /// Each outcome, with the counter of all services.
    static var outcomes: [(name: String, total: KeyPath<Counters, Counter>, own: KeyPath<PushServiceMetrics, Counter>)]
    {
        [
            ("accepted", \.pushesSent, \.accepted), ("postponed", \.pushesPostponed, \.postponed),
            ("refused", \.pushesRefused, \.refused), ("dropped", \.pushesDropped, \.dropped),
            ("uncertain", \.pushesUncertain, \.uncertain),
        ]
    }
}

/// The bounds of histograms, times in microseconds.
enum MetricBounds {
    static let batchSizes = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1000]
    static let commitTimes = [
        250, 500, 1000, 2500, 5000, 10_000, 25_000, 50_000, 100_000, 250_000, 500_000, 1_000_000, 5_000_000,
    ]
    static let requestTimes = [
        500, 1000, 2500, 5000, 10_000, 25_000, 50_000, 100_000, 250_000, 1_000_000, 5_000_000,
    ]
    static let lags = [
        1000, 2500, 5000, 10_000, 25_000, 50_000, 100_000, 250_000, 500_000, 1_000_000, 5_000_000, 30_000_000,
        300_000_000,
    ]
}

extension Counters {
    /// A transaction was committed.
    ///
    /// - Parameter begin: of COMMIT.
    func recordCommit(from begin: ContinuousClock.Instant) { commitTimes.record(begin.duration(to: .now)) }

    /// The broker has acknowledged the last of batches.
    ///
    /// - Parameter times: when they were committed.
    func recordDeliveries(from times: [ContinuousClock.Instant]) {
        let now = ContinuousClock.now
        for time in times { deliveryLags.record(time.duration(to: now)) }
    }

    /// A push service has accepted a notification.
    func recordPush(by service: PushProvider, lag: Duration) { services[service]?.lag.record(lag) }

    /// What a transaction has led to.
    func record(_ after: AfterCommit) {
        messages.add(after.messages)
        reports.add(after.reports)
        rejected.add(after.rejections.count)
    }

    /// Counts the notifications that wait.
    func countWaiting(in pushes: PushStore) throws(StoreError) {
        let counts = try pushes.read { try $0.jobs.counts() }
        for (service, metrics) in services { metrics.waiting.set(counts[service] ?? 0) }
    }

    /// A request was refused.
    func recordRefusal(_ code: ErrorCode) { refusals[code]?.add(1) }

    /// A request was refused without being carried out.
    func recordRefusal(
        of operation: Operation, _ code: ErrorCode, from begin: ContinuousClock.Instant?
    ) {
        recordRefusal(code)
        (operations[operation] ?? unknownOperation).record(isRejected: true, from: begin, to: .now)
    }

    /// Commands were carried out and committed.
    ///
    /// - Parameter rejections: those that were refused, in order.
    func recordBatch(_ requests: [IncomingCommand], _ rejections: [CommandRejection]) {
        batches.add(1)
        guard !requests.isEmpty else { return }
        batchSizes.record(requests.count)
        let now = ContinuousClock.now
        var rejections = rejections[...]
        // Almost always a batch is of one operation, was read at once, and none of it is refused: those count together.
        var index = 0
        while index < requests.count {
            let request = requests[index]
            if let rejection = rejections.first, rejection.index == index {
                rejections.removeFirst()
                recordRefusal(rejection.code)
                request.metrics?.record(isRejected: true, from: request.receivedAt, to: now)
                index += 1
                continue
            }
            let limit = rejections.first?.index ?? requests.count
            var end = index + 1
            while end < limit, requests[end].metrics === request.metrics, requests[end].receivedAt == request.receivedAt
            {
                end += 1
            }
            request.metrics?.recordAccepted(end - index, from: request.receivedAt, to: now)
            index = end
        }
    }

    /// Commands could not be committed.
    func recordFailed(_ requests: [IncomingCommand], _ error: StoreError) {
        recordFailed(requests, error.isPassing ? .unavailable : .internal)
    }

    /// Commands could not be carried out.
    func recordFailed(_ requests: [IncomingCommand], _ code: ErrorCode) {
        for request in requests {
            recordRefusal(code)
            request.metrics?.record(isRejected: true, from: request.receivedAt, to: .now)
        }
    }
}

/// A command of a batch that was refused.
struct CommandRejection {
    /// Of the batch.
    let index: Int
    let code: ErrorCode
}
