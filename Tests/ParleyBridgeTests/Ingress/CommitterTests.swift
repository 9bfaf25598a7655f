import ParleyProtocol
import ParleyStore
import TestNames
import Testing

@testable import ParleyBridge

@Suite("What a batch has caused")
struct CommitterTests {
    enum Transaction: CaseIterable {
        /// The one that stores how far the broker has acknowledged, and nothing else.
        case ofMark, ofRequest
    }

    @Test("what is due is handed on by whichever transaction does it", arguments: Transaction.allCases)
    func handedOn(_ transaction: Transaction) throws {
        let world = try BoardWorld()
        try world.log("alice")
        // Within a second of the last: it is to be published when that is over.
        try world.log("bob")
        let (start, due) = (ContinuousClock.now, world.now.advanced(by: .seconds(1)))
        let queue = try OutQueue(limit: OutLoad(items: 1000, bytes: 1_000_000))
        var committer = Committer(writer: world.writer, queue: queue, stored: 0, instant: start)
        switch transaction {
        case .ofMark: committer.storeMark(published: 1, now: due, instant: start.advanced(by: .seconds(1)))
        case .ofRequest:
            let command = try request(ProfileChange.self, #"{"display_name":"Alice"}"#)
            committer.commit([command], published: 0, now: due, instant: start)
        }
        let published = try queue.drainBatches().flatMap { try $0.published }
        let boards = published.filter { $0.event == "leaderboard.updated" && $0.topic.hasSuffix("check-ins") }
        #expect(boards.map(\.lines) == [["1 alice 1", "1 bob 1"]])
    }

    @Test("how far the broker has acknowledged is stored once")
    func markStored() throws {
        let test = try TestWriter()
        let start = ContinuousClock.now
        var committer = Committer(
            writer: test.writer, queue: try OutQueue(limit: OutLoad(items: 10, bytes: 1000)), stored: 0, instant: start)
        committer.storeMark(published: 3, now: at(0), instant: start)
        #expect(try test.store.read { try $0.outbox.publishedThrough() } == 0)
        #expect(committer.wait(published: 3) != nil)
        committer.storeMark(published: 3, now: at(0), instant: start.advanced(by: .seconds(1)))
        #expect(try test.store.read { try $0.outbox.publishedThrough() } == 3)
        #expect(committer.wait(published: 3) == nil)
    }
}
