import Logging
import ParleyProtocol
import ParleyStore
import Platform

/// Hands on what is to be published, in order: what earlier processes have left, then the batches of the queue.
///
/// Some of it needs the store: what was left, numbers of unread messages, records that come early. While the store is
/// away that waits, and what is behind it. Rejections go on, so that devices hear why nothing is done for them.
struct PublicationSource {
    private let queue: OutQueue
    private let store: Store
    private let passedOver: Monitor<[Int: StreamPosition]>
    private var backlog: Publisher.Backlog
    /// `nil` until something is to be published, and where there are no cells.
    private var order: RecordOrder?
    /// Batches from the queue that are not handed on yet, in order.
    private var drained: [Outgoing] = []
    /// When the store is asked again, while it is away.
    private var retryAt: ContinuousClock.Instant?
    private var pauses = Backoff(first: .milliseconds(20), longest: .milliseconds(500))
    private var report: RecurringReport

    /// - Parameter passedOver: where what was read and not handed on begins, by stream.
    init(
        queue: OutQueue, store: Store, backlog: Publisher.Backlog, passedOver: Monitor<[Int: StreamPosition]>,
        logger: Logger
    ) {
        self.queue = queue
        self.store = store
        self.backlog = backlog
        self.passedOver = passedOver
        report = RecurringReport(logger: logger)
    }

    /// Takes what the queue has. The changes of audiences that were committed with it or before it are in the queue.
    mutating func drain() { drained += queue.drainBatches() }

    /// Hands on as much as can be published.
    ///
    /// - Parameter precede: whether the changes that a batch depends on went before it. Without them it waits, and what
    ///   is behind it.
    /// - Throws: what does not pass by itself.
    mutating func fill(
        _ publications: inout Publications, now: ContinuousClock.Instant, precede: (Outgoing) -> Bool
    ) throws(StoreError) {
        if wait(now: now) ?? .zero == .zero {
            do throws(StoreError) {
                try add(to: &publications, precede)
                retryAt = nil
                pauses.reset()
                report.end("events are published again")
            } catch {
                guard error.isPassing, !error.endsProcess else { throw error }
                retryAt = now + pauses.next()
                report.add("events wait for the database", error)
            }
        }
        guard drained.contains(where: \.isRejections) else { return }
        for outgoing in drained where outgoing.isRejections { publications.add(outgoing, isCounted: true) }
        drained.removeAll(where: \.isRejections)
    }

    /// How long until the store is asked again; `nil` while it is not away.
    func wait(now: ContinuousClock.Instant) -> Duration? { retryAt.map { max(.zero, now.duration(to: $0)) } }

    /// Events of an earlier process go before new ones: their positions are lower, and the published position must not
    /// pass them.
    private mutating func add(
        to publications: inout Publications, _ precede: (Outgoing) -> Bool
    ) throws(StoreError) {
        if !backlog.isEmpty, !publications.hasWaiting {
            let (outgoing, end) = try backlog.next(in: store)
            try publications.add(outgoing, isCounted: false, of: store, passedOver: passedOver, in: &order)
            backlog.advance(to: end)
        }
        guard backlog.isEmpty else { return }
        while drained.first.map(precede) == true {
            if drained[0].awaitsUnreadCounts { try countUnread() }
            try publications.add(drained[0], isCounted: true, of: store, passedOver: passedOver, in: &order)
            drained.removeFirst()
        }
    }

    /// Of all batches at once.
    private mutating func countUnread() throws(StoreError) {
        let scopes = Set(drained.flatMap(\.unreadScopes))
        let counts = try store.read { try $0.unread.counts(scopes) }
        for index in drained.indices { drained[index].fillUnreadCounts(counts) }
    }
}
