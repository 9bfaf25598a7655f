import Logging
import ParleyRules
import ParleyStore
import Platform
import Synchronization
import Testing

@testable import ParleyBridge

/// Lapses: times at which the devices of a cell may have gone to others. In seconds.
@Suite("Lapses of a cell's lease")
struct AudienceFeedTests {
    private let feed: AudienceFeed

    /// A cell whose plugin follows under a lease until 3.
    init() throws {
        feed = try AudienceFeed()
        _ = extend(at: 0)
        feed.follow(at: StreamVector(), under: feed.lease, now: 0)
        #expect(lapses(at: 2) == 0)
    }

    private static func nanoseconds(_ seconds: Int64) -> Int64 { seconds * 1_000_000_000 }

    /// Extends the lease to three seconds from then.
    private func extend(at now: Int64, wasOver: Bool = false) -> Bool {
        feed.recordExtension(
            Lease(end: UInt64(Self.nanoseconds(now + 3))), wasOver: wasOver, wasForgotten: false,
            now: Self.nanoseconds(now))
    }

    private func acknowledge(at now: Int64) {
        feed.recordInForce(StreamVector(), lease: feed.lease, now: Self.nanoseconds(now))
    }

    private func lapses(at now: Int64) -> Int { feed.lapses(now: Self.nanoseconds(now)) }

    @Test("a lease that is extended and acknowledged in time has none")
    func inTime() {
        for second in 1..<9 {
            #expect(extend(at: Int64(second)))
            acknowledge(at: Int64(second))
            #expect(lapses(at: Int64(second + 2)) == 0)
        }
        #expect(!feed.isStale)
    }

    @Test("its end is one, which is not counted again when it is extended later, or the plugin follows anew")
    func over() {
        #expect(lapses(at: 3) == 1)
        #expect(lapses(at: 4) == 1)
        #expect(extend(at: 5, wasOver: true))
        #expect(feed.isStale)
        #expect(lapses(at: 5) == 1)
        feed.detach()
        feed.follow(at: StreamVector(), under: feed.lease, now: Self.nanoseconds(6))
        #expect(lapses(at: 7) == 1)
        #expect(lapses(at: 8) == 2)
    }

    @Test("an extension that the plugin has not acknowledged when the lease before it ends is none in time")
    func lateAcknowledgement() {
        #expect(extend(at: 2))
        #expect(lapses(at: 2) == 0)
        acknowledge(at: 3)
        #expect(lapses(at: 4) == 1)
        #expect(extend(at: 4))
        #expect(lapses(at: 5) == 2)
    }

    @Test("a lease without an end has none but what the server says, each time")
    func endless() {
        feed.follow(at: StreamVector(), under: .endless, now: Self.nanoseconds(1))
        #expect(lapses(at: 100) == 0)
        _ = extend(at: 100, wasOver: true)
        #expect(lapses(at: 101) == 1)
        _ = extend(at: 102, wasOver: true)
        #expect(lapses(at: 102) == 2)
    }

    /// The server is asked in time, and has extended the lease; its answer comes when that of before has ended.
    @Test("an answer that comes when the lease is over is a lapse, though the server was asked in time")
    func lateAnswer() throws {
        let end = Mutex<Int64>(0)
        let cells = ListedCells(leaseTime: .milliseconds(500)) {
            while SystemClock.sinceBoot.nanoseconds < end.withLock({ $0 }) {}
        }
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let shared = GatewayState(
            counters: Counters(), selfRequest: SelfRequest(interval: .seconds(1), now: .now),
            clock: MachineClock(boot: nil, logger: logger) { .machine }, onReady: {})
        let (queue, feed) = (try OutQueue(limit: OutLoad(items: 10, bytes: 1000)), try AudienceFeed())
        let loop = LeaseLoop(cells: cells, queue: queue, feed: feed, shared: shared, logger: logger)
        feed.awaitLease()
        try loop.extend()
        feed.follow(at: StreamVector(), under: feed.lease)
        end.withLock { $0 = Int64(feed.lease.end) }
        try loop.extend()
        #expect(feed.isStale)
        // What the new lease says is of no account.
        #expect(feed.lapses(now: Int64(feed.lease.end) - 1) == 1)
    }
}
