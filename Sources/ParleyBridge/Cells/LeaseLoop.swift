import Logging
import ParleyProtocol
import ParleyStore
import Platform

/// Extends this cell's lease, for as long as its broker's plugin follows. Confined to its thread: nothing that takes
/// long, such as a snapshot, holds it up.
final class LeaseLoop {
    private let cells: any Cells
    private let queue: OutQueue
    private let feed: AudienceFeed
    private let shared: GatewayState
    private var report: RecurringReport
    private var clockReport: RecurringReport
    private var dueAt = ContinuousClock.now
    private var hasBegun = false
    /// When the lease was extended for the first time, or after it was over; `nil` when that has been told.
    private var returnedAt: ContinuousClock.Instant?
    /// Whether there were no others when it was last extended.
    private var wasAlone = false

    private static let interval = Duration.seconds(1)
    /// How often it is looked whether it is due.
    private static let pause = Duration.milliseconds(250)
    /// After so long the others have looked, and keep for this cell what it has not read.
    private static let noticeTime = Duration.seconds(1)
    /// How far the clocks of cells may be from the server's without a word.
    private static let mostApart = Duration.seconds(5)

    init(cells: any Cells, queue: OutQueue, feed: AudienceFeed, shared: GatewayState, logger: Logger) {
        self.cells = cells
        self.queue = queue
        self.feed = feed
        self.shared = shared
        report = RecurringReport(logger: logger)
        clockReport = RecurringReport(logger: logger, interval: .seconds(600))
    }

    /// Runs until `stop` is raised.
    func run() throws {
        while !shared.stop.isRaised {
            do {
                switch feed.leaseNeed {
                case .none: break
                // The first neighbour counts on it at once.
                case .inTime: if ContinuousClock.now >= dueAt || wasAlone && cells.hasNeighbours { try extend() }
                case .atOnce: try extend()
                }
                tellReturn()
                report.end("this cell's lease is extended again")
            } catch {
                report.add("this cell's lease cannot be extended", StoreError(error))
            }
            var watched = [WatchedDescriptor(feed.leaseWake.descriptor)]
            try waitForEvents(&watched, timeout: LeaseLoop.pause)
            if watched[0].isReadable { feed.leaseWake.drain() }
        }
    }

    /// Asks the server, and has the plugin told.
    func extend() throws(StoreError) {
        // From before the server is asked: it counts from later.
        let begin = SystemClock.sinceBoot.nanoseconds
        let extended = try cells.extendLease()
        compareClocks(extended.serverTime, within: SystemClock.sinceBoot.nanoseconds - begin)
        // Before this cell's devices may go on: what they ask for lasts by the steady time.
        try shared.clock.keepUp(with: cells)
        // The answer may come when the plugin has ended the connections of devices, though the server was asked before.
        let now = SystemClock.sinceBoot.nanoseconds
        let wasOver = extended.wasOver || feed.lease.isOver(now: now)
        if wasOver || !hasBegun { returnedAt = .now }
        hasBegun = true
        dueAt = .now + LeaseLoop.interval
        wasAlone = !cells.hasNeighbours
        let end = begin + cells.leaseTime.inMilliseconds * 1_000_000
        let lease = wasAlone ? .endless : Lease(end: UInt64(clamping: end))
        if feed.recordExtension(lease, wasOver: wasOver, wasForgotten: extended.wasForgotten, now: now) {
            queue.add(Outgoing(), audience: [lease.change])
        } else {
            cells.wake()
        }
    }

    /// Leases go by the server's clock alone; the times of messages, of challenges and of tokens by the machine's.
    ///
    /// - Parameter nanoseconds: how long ago at most the server told its time.
    private func compareClocks(_ serverTime: Timestamp, within nanoseconds: Int64) {
        let difference = serverTime.duration(to: shared.clock.wall)
        let apart = difference < .zero ? .zero - difference : difference
        guard apart > LeaseLoop.mostApart + .nanoseconds(nanoseconds) else {
            clockReport.end("the clocks of this machine and of the database's server agree again")
            return
        }
        let direction = difference < .zero ? "behind" : "ahead of"
        clockReport.add(
            "the clocks of this machine and of the database's server differ",
            "this machine's is \(apart.components.seconds) s \(direction) the server's: set both by NTP")
    }

    /// What others have published and let go of before is read from the database.
    private func tellReturn() {
        guard let returnedAt, .now - returnedAt >= LeaseLoop.noticeTime else { return }
        self.returnedAt = nil
        shared.states.recordReturn()
        queue.intakeWake.signal()
    }
}
