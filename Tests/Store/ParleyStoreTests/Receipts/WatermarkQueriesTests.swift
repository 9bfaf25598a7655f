import ParleyProtocol
import ParleyRules
import TestNames
import TestedStores
import Testing

@testable import ParleyStore

@Suite("Stored watermarks", .onEveryStore)
final class WatermarkQueriesTests: PeopleSuite {
    private let phone = device("alice", "phone")
    private let laptop = device("alice", "laptop")

    @Test("a member begins at nothing, and what one device tells is the user's")
    func oneDeviceCountsForAll() throws {
        try store.write { transaction in
            let conversation = try transaction.insertConversation(["alice", "bob"])
            let key = conversation.key
            let start = try #require(try transaction.facts.receipts.state(of: phone, in: conversation.facts.id))
            #expect(
                start
                    == ReceiptState(
                        user: WatermarkFacts(deliveredSeq: 0, deliveredAt: nil, readSeq: 0, readAt: nil),
                        device: Watermarks(), disclosed: Watermarks()))
            try transaction.mark(.delivered, upTo: 5, by: phone, in: key, at: at(1))
            try transaction.mark(.read, upTo: 3, by: laptop, in: key, at: at(2))
            let user = WatermarkFacts(deliveredSeq: 5, deliveredAt: at(1), readSeq: 3, readAt: at(2))
            let (ofPhone, ofLaptop) = (
                try transaction.facts.receipts.state(of: phone, in: conversation.facts.id),
                try transaction.facts.receipts.state(of: laptop, in: conversation.facts.id)
            )
            #expect(ofPhone?.user == user && ofLaptop?.user == user)
            #expect(ofPhone?.device == Watermarks(delivered: 5, read: 0))
            #expect(ofLaptop?.device == Watermarks(delivered: 3, read: 3))
            #expect(ofPhone?.disclosed == Watermarks(delivered: 5, read: 3))
            #expect(
                try transaction.facts.receipts.state(of: device("bob", "phone"), in: conversation.facts.id) == start)
            #expect(
                try transaction.facts.receipts.state(of: device("carol", "phone"), in: conversation.facts.id) == nil)
        }
    }

    @Test("read beyond delivered is not stored, of a user, of a device or as told")
    func readWithinDelivered() throws {
        let key = try store.write { try $0.insertConversation(["alice", "bob"]).key.value }
        for sql in [
            "UPDATE members SET read_seq = 1", "UPDATE members SET told_read_seq = 1",
            "INSERT INTO device_watermarks VALUES (\(key), 'alice', 'phone', 1, 2)",
        ] {
            #expect(throws: StoreError.self) { try store.execute(sql) }
        }
        try store.execute(
            "UPDATE members SET delivered_seq = 1, read_seq = 1, told_delivered_seq = 1, told_read_seq = 1")
    }

    @Test("how far a message has come is how far the last of the others has told")
    func furthestOfTheOthers() throws {
        try store.write { transaction in
            let key = try transaction.insertConversation(["alice", "bob", "carol"]).key
            try transaction.mark(.read, upTo: 9, by: phone, in: key)
            try transaction.mark(.delivered, upTo: 5, by: device("bob", "phone"), in: key)
            try transaction.mark(.read, upTo: 3, by: device("bob", "phone"), in: key)
            try transaction.mark(.delivered, upTo: 7, by: device("carol", "phone"), in: key)
            try transaction.mark(.read, upTo: 2, by: device("carol", "phone"), in: key)
            #expect(try transaction.facts.receipts.leastWatermark(besides: "alice", in: key) == (5, 2))
            try transaction.mark(.read, upTo: 9, by: device("bob", "phone"), in: key, .nothing)
            #expect(try transaction.facts.receipts.leastWatermark(besides: "alice", in: key) == (5, 2))
            let seen = try transaction.facts.receipts.watermarks(in: key, for: "alice")
            #expect(seen["alice"] == Watermarks(delivered: 9, read: 9))
            #expect(seen["bob"] == Watermarks(delivered: 5, read: 3))
            #expect(seen["carol"] == Watermarks(delivered: 7, read: 2))
            let own = try transaction.facts.receipts.watermarks(in: key, for: "bob")
            #expect(own["bob"] == Watermarks(delivered: 9, read: 9))
            let alone = try transaction.insertConversation(["dave"]).key
            #expect(try transaction.facts.receipts.leastWatermark(besides: "dave", in: alone) == (0, 0))
        }
    }

    @Test("nobody is told of less than the place at which a member has joined")
    func notBeforeJoining() throws {
        try store.write { transaction in
            let conversation = try transaction.insertConversation(["alice", "bob"])
            let key = conversation.key
            try transaction.database.run(
                #"UPDATE members SET joined_seq = 4, delivered_seq = 4, read_seq = 4 WHERE "user" = 'bob'"#)
            #expect(try transaction.facts.receipts.leastWatermark(besides: "alice", in: key) == (4, 4))
            #expect(
                try transaction.facts.receipts.watermarks(in: key, for: "alice")["bob"]
                    == Watermarks(delivered: 4, read: 4))
            let state = try transaction.facts.receipts.state(of: device("bob", "phone"), in: conversation.facts.id)
            #expect(state?.disclosed == Watermarks(delivered: 4, read: 4) && state?.device == Watermarks())
        }
    }

    @Test("reading on ends the mark of unread, and having received does not")
    func readingEndsTheMark() throws {
        try store.write { transaction in
            let key = try transaction.insertConversation(["alice", "bob"]).key
            func isMarked() throws -> String? {
                try transaction.facts.text(#"SELECT is_marked_unread FROM members WHERE "user" = 'alice'"#)
            }
            try transaction.mark(.read, upTo: 2, by: phone, in: key)
            try transaction.database.run("UPDATE members SET is_marked_unread = 1")
            try transaction.mark(.delivered, upTo: 4, by: phone, in: key)
            try transaction.mark(.read, upTo: 2, by: laptop, in: key)
            #expect(try isMarked() == "1")
            try transaction.mark(.read, upTo: 3, by: laptop, in: key)
            #expect(try isMarked() == "0")
        }
    }
}
