import ParleyProtocol
import ParleyRules
import Testing

@testable import ParleyStore

struct WatermarkQueriesTests {
    private let directory: TemporaryDirectory
    private let store: Store

    init() throws {
        directory = try TemporaryDirectory()
        store = try Store(path: directory.database)
        try store.write { try $0.insertPeople(["alice", "bob", "carol", "dave"]) }
    }

    private func watermark(_ delivered: Int, _ read: Int) -> WatermarkFacts {
        WatermarkFacts(
            deliveredSeq: delivered, deliveredAt: delivered > 0 ? at(1) : nil, readSeq: read,
            readAt: read > 0 ? at(2) : nil)
    }

    @Test func `a member begins at nothing and comes back as set`() throws {
        try store.write { transaction in
            let key = try transaction.insertConversation(["alice", "bob"]).key
            #expect(try transaction.facts.watermark(of: "alice", in: key) == watermark(0, 0))
            try transaction.setWatermark(watermark(5, 3), of: "alice", in: key)
            #expect(try transaction.facts.watermark(of: "alice", in: key) == watermark(5, 3))
            #expect(try transaction.facts.watermark(of: "bob", in: key) == watermark(0, 0))
            #expect(try transaction.facts.watermark(of: "carol", in: key) == nil)
        }
    }

    @Test func `read beyond delivered is not stored`() throws {
        #expect(throws: StoreError.self) {
            try store.write { transaction in
                let key = try transaction.insertConversation(["alice", "bob"]).key
                try transaction.setWatermark(watermark(3, 5), of: "alice", in: key)
            }
        }
    }

    @Test func `how far a message has come is how far the last of the others has`() throws {
        try store.write { transaction in
            let key = try transaction.insertConversation(["alice", "bob", "carol"]).key
            try transaction.setWatermark(watermark(9, 9), of: "alice", in: key)
            try transaction.setWatermark(watermark(5, 3), of: "bob", in: key)
            try transaction.setWatermark(watermark(7, 2), of: "carol", in: key)
            let least = try transaction.facts.leastWatermark(besides: "alice", in: key)
            #expect(least.delivered == 5 && least.read == 2)
            let alone = try transaction.insertConversation(["dave"]).key
            #expect(try transaction.facts.leastWatermark(besides: "dave", in: alone) == (0, 0))
        }
    }
}
