import ParleyStore
import Testing

@testable import ParleyBridge

/// When a cell's audiences may be behind those of the others.
@Suite("Leases and snapshots of audiences")
struct SnapshotLeaseTests {
    private let lease = Lease(end: 1)

    /// A snapshot that the plugin has, and that waits for a lease.
    private func awaiting() throws -> AudienceFeed {
        let feed = try AudienceFeed()
        feed.beginSnapshot(at: StreamVector())
        feed.awaitLease()
        return feed
    }

    @Test("after a lease that others had forgotten what they removed since the snapshot is read by another one")
    func forgotten() throws {
        let feed = try awaiting()
        #expect(!feed.recordExtension(lease, wasOver: true, wasForgotten: true, now: 0))
        #expect(feed.isStale)
        feed.beginSnapshot(at: StreamVector())
        #expect(!feed.isStale)
        feed.awaitLease()
        #expect(!feed.recordExtension(lease, wasOver: false, wasForgotten: false, now: 0))
        #expect(!feed.isStale)
    }

    @Test("one that was over for a moment has lost nothing of a snapshot that waits for it")
    func over() throws {
        let feed = try awaiting()
        #expect(!feed.recordExtension(lease, wasOver: true, wasForgotten: false, now: 0))
        #expect(!feed.isStale)
        #expect(feed.end(feed.beginRound()))
        #expect(feed.hasCaughtUp && !feed.isFollowing)
        feed.follow(at: StreamVector(), under: lease, now: 0)
        #expect(feed.isFollowing)
        // Then the others may have gone on without this cell.
        #expect(feed.recordExtension(Lease(end: 2), wasOver: true, wasForgotten: false, now: 0))
        #expect(feed.isStale)
    }
}
