import ParleyProtocol
import TestNames
import TestedStores
import Testing

@testable import ParleyStore

@Suite("The outbox", .onEveryStore)
final class OutboxTests: ConversationSuite {
    /// Records and events in turn: positions 1, 3, 5 … are records.
    private func fill(_ count: Int) throws {
        try store.write { transaction in
            for _ in 0..<count {
                try transaction.append(to: id, from: device("alice", "phone"))
                let position = try transaction.facts.outbox.lastPosition() + 1
                try transaction.insertEvent(
                    position: position, topic: Array("t\(position)".utf8)[...], payload: [UInt8(position.number)],
                    retain: position.number % 4 == 0)
            }
        }
    }

    private func positions(after position: Int, limit: Int) throws -> [Int] {
        try store.read { snapshot in
            try snapshot.outbox.unpublished(after: StreamPosition(position), limit: limit).map(\.position.number)
        }
    }

    @Test("records and events come in the one order of positions")
    func orderOfPositions() throws {
        try fill(4)
        #expect(try positions(after: 0, limit: 100) == Array(1...8))
        try store.read { snapshot throws in
            for event in try snapshot.outbox.unpublished(after: 0, limit: 100) {
                switch event {
                case .record(let position, let record):
                    #expect(position.number % 2 == 1 && record.seq == (position.number + 1) / 2)
                    #expect(record.conversation == id && record.epoch == "epoch" && record.content?.count == 32)
                case .event(let position, let topic, let payload, let retain, let unread):
                    #expect(unread == nil && topic == Array("t\(position)".utf8) && payload == [UInt8(position.number)])
                    #expect(retain == (position.number % 4 == 0))
                }
            }
        }
    }

    @Test(
        "a page begins after its position and ends at its limit",
        arguments: [(0, 3, [1, 2, 3]), (3, 3, [4, 5, 6]), (6, 3, [7, 8]), (8, 3, []), (4, 1, [5])])
    func pages(after position: Int, limit: Int, expected: [Int]) throws {
        try fill(4)
        #expect(try positions(after: position, limit: limit) == expected)
    }

    @Test("what is acknowledged is forgotten, and records stay")
    func acknowledgedIsForgotten() throws {
        try fill(4)
        try store.write { try $0.outbox.advance(through: 5) }
        #expect(try store.read { try $0.outbox.publishedThrough() } == 5)
        let left = try store.read {
            try $0.database.list("SELECT position FROM outbox ORDER BY position") { $0.integer(0) }
        }
        #expect(left == [6, 8])
        #expect(try store.text("SELECT count(*) FROM records") == "4")
    }

    @Test("the mark never goes back")
    func markNeverGoesBack() throws {
        try fill(4)
        try store.write { try $0.outbox.advance(through: 5) }
        try store.write { try $0.outbox.advance(through: 2) }
        #expect(try store.read { try $0.outbox.publishedThrough() } == 5)
    }

    @Test("a position is never given twice, even when its row is gone and the gateway starts again")
    func positionsAreUnique() throws {
        try fill(2)
        try store.write { try $0.outbox.advance(through: 4) }
        #expect(try store.text("SELECT count(*) FROM outbox") == "0")
        let again = try database.open()
        #expect(try again.read { try $0.outbox.lastPosition() } == 4)
    }

    @Test("in an empty database positions begin at 1")
    func positionsBeginAtOne() throws {
        #expect(try store.read { try $0.outbox.lastPosition() } == 0)
        #expect(try store.read { try $0.outbox.publishedThrough() } == 0)
        #expect(try positions(after: 0, limit: 10).isEmpty)
    }
}
