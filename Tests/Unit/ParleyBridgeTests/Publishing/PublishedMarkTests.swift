import ParleyProtocol
import ParleyStore
import TestNames
import Testing

@testable import ParleyBridge

@Suite("The mark of what was published")
struct PublishedMarkTests {
    private let test: TestWriter

    init() throws {
        test = try TestWriter()
        test.published.set(1)
        test.carryOut([], now: at(0))
        #expect(try stored() == 1)
    }

    private func stored() throws -> StreamPosition { try test.store.read { try $0.outbox.publishedThrough() } }

    /// How far is stored after a batch, when the broker has acknowledged up to there.
    private func stored(after time: Int64, published: StreamPosition) throws -> StreamPosition {
        test.published.set(published)
        test.carryOut([], now: at(time))
        return try stored()
    }

    private func isDue(at time: Int64) -> Bool { test.writer.isDue(PublishedMarkDuty.self, now: at(time)) }

    @Test("the mark goes with a batch when it is far behind, and by itself when nothing else is written")
    func markGoesWithABatch() throws {
        #expect(!isDue(at: 9_000))
        #expect(try stored(after: 0, published: 256) == 1)
        #expect(!isDue(at: 199) && isDue(at: 200))
        #expect(try stored(after: 0, published: 257) == 257)
        #expect(!isDue(at: 9_000))
    }

    @Test("it says how long nothing is to be done")
    func saysHowLong() {
        func wait(at time: Int64) -> Duration? { test.writer.wait(for: PublishedMarkDuty.self, now: at(time)) }
        #expect(wait(at: 0) == nil)
        test.published.set(2)
        #expect(wait(at: 50) == .milliseconds(150))
        #expect(wait(at: 9_000) == .zero)
    }

    @Test("what failed is tried again after a pause")
    func failedIsTriedAgain() throws {
        try test.execute("CREATE TRIGGER full BEFORE UPDATE ON publishing BEGIN SELECT RAISE(ABORT, 'no'); END")
        #expect(try stored(after: 1_000, published: 2) == 1)
        try test.execute("DROP TRIGGER full")
        #expect(!isDue(at: 1_100) && isDue(at: 1_200))
        #expect(try stored(after: 1_200, published: 2) == 2)
    }

    @Test("under a trickle it goes with a batch before it would go by itself")
    func trickleCarriesTheMark() throws {
        #expect(try stored(after: 99, published: 2) == 1)
        #expect(try stored(after: 100, published: 2) == 2)
    }

    @Test("what is due goes with whichever transaction stores it")
    func boardsGoWithTheMark() throws {
        let world = try BoardWorld()
        try world.log("alice")
        // Within a second of the last: it is to be published when that is over.
        try world.log("bob")
        world.test.published.set(1)
        let outcome = world.writer.carryOut([], now: world.now.advanced(by: .seconds(1)))
        let boards = try outcome.effects.outgoing.published.filter {
            $0.event == "leaderboard.updated" && $0.topic.hasSuffix("check-ins")
        }
        #expect(boards.map(\.lines) == [["1 alice 1", "1 bob 1"]])
        #expect(try world.test.store.read { try $0.outbox.publishedThrough() } == 1)
    }
}
