import ParleyProtocol
import ParleyStore

/// Commits batches, now and then with how far the broker has acknowledged, and hands on what each transaction has caused.
///
/// Every transaction does what is due beside its requests, also one that has none: what it causes is committed, and is
/// published by nobody else.
struct Committer {
    private let writer: Writer
    private let queue: OutQueue
    private var mark: PublishedMark

    /// - Parameter stored: as far as the broker has acknowledged, as it is on disk.
    init(writer: Writer, queue: OutQueue, stored: StreamPosition, instant: ContinuousClock.Instant = .now) {
        self.writer = writer
        self.queue = queue
        mark = PublishedMark(stored: stored, now: instant)
    }

    /// Commits requests.
    ///
    /// - Parameter published: as far as the broker has acknowledged.
    mutating func commit(
        _ requests: [IncomingCommand], published: StreamPosition, now: Timestamp,
        instant: ContinuousClock.Instant = .now
    ) {
        guard !requests.isEmpty else { return }
        let isMarkDue = mark.isDueWithBatch(published: published, now: instant)
        write(requests, marking: isMarkDue ? published : nil, now: now)
    }

    /// Stores how far the broker has acknowledged, if that is due by itself.
    mutating func storeMark(
        published: StreamPosition, now: Timestamp, instant: ContinuousClock.Instant = .now
    ) {
        guard mark.isDue(published: published, now: instant) else { return }
        write([], marking: published, now: now)
    }

    /// Does what is due beside requests, where there is room for what comes of it.
    mutating func commitDueWork(now: Timestamp) {
        guard queue.hasRoom, writer.hasDueWork(now: now) else { return }
        write([], marking: nil, now: now)
    }

    /// How long until the mark is to be stored by itself; `nil` while there is nothing to store.
    func wait(published: StreamPosition) -> Duration? { mark.timeout(published: published, now: .now) }

    private mutating func write(_ requests: [IncomingCommand], marking published: StreamPosition?, now: Timestamp) {
        let outcome = writer.carryOut(requests, published: published, now: now)
        if let published { mark.recordAttempt(published, isStored: outcome.isCommitted, now: .now) }
        queue.add(outcome.effects)
    }
}
