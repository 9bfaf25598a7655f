import ParleyProtocol
import ParleyRules
import TestNames
import TestedStores
import Testing

@testable import ParleyBridge
@testable import ParleyStore

@Suite("Pages of sync", .onEveryStore)
struct SyncPageTests {
    private let test: TestWriter
    private let alice = device("alice", "phone")
    private let bob = device("bob", "phone")

    init() throws { test = try TestWriter() }

    private func conversation(_ count: Int, of members: [UserID] = ["alice", "bob"], bytes: Int = 40) throws
        -> ConversationID
    {
        let id = try test.conversation(members)
        try write(count, to: id, bytes: bytes)
        return id
    }

    private func write(_ count: Int, to id: ConversationID, bytes: Int = 40) throws {
        for _ in 0..<count {
            test.carryOut([try send(id, text: String(repeating: "x", count: bytes), from: bob)])
        }
    }

    private func cursor(_ seq: Int, _ epoch: String = "epoch") -> SyncRequest.Cursor {
        SyncRequest.Cursor(epoch: epoch, seq: seq)
    }

    private func sync(
        _ cursors: [ConversationID: SyncRequest.Cursor], limit: Int = 200, cursor: String? = nil,
        for user: UserID = "alice"
    ) throws -> SyncReply {
        try ParleyBridgeTests.sync(SyncRequest(cursors: cursors, limit: limit, cursor: cursor), for: user, test.store)
    }

    @Test("everything after each cursor comes in order, with how the conversation stands")
    func everythingAfterEachCursor() throws {
        let (one, other) = (try conversation(7), try conversation(3))
        let page = try sync([one: cursor(4), other: cursor(3)])
        #expect(page.isComplete && page.left.isEmpty && page.nextCursor == nil)
        let first = try #require(page.conversations.first { $0.id == one })
        #expect(first.messages.map(\.seq) == [5, 6, 7] && first.isRecovered && first.epoch == "epoch")
        #expect(first.lastSeq == 7 && first.unreadCount == 7 && first.conversation == nil)
        #expect(first.watermarks == ["alice": Watermarks(), "bob": Watermarks()])
        let second = try #require(page.conversations.first { $0.id == other })
        #expect(second.messages.isEmpty && second.lastSeq == 3 && second.unreadCount == 3)
        #expect(page.conversations.count == 2)
    }

    @Test("what is not named is new: from its start, or the newest fifty")
    func unnamedIsNew() throws {
        let (short, long, empty) = (try conversation(50), try conversation(51), try conversation(0))
        let page = try sync([:])
        func found(_ id: ConversationID) throws -> SyncedConversation {
            try #require(page.conversations.first { $0.id == id })
        }
        #expect(try found(short).messages.map(\.seq) == Array(1...50))
        #expect(try found(long).messages.map(\.seq) == Array(2...51))
        #expect(try found(empty).messages.isEmpty)
        for id in [short, long, empty] {
            #expect(try found(id).conversation?.id == id && found(id).conversation?.members.count == 2)
            #expect(try found(id).isRecovered)
        }
    }

    @Test("of another epoch nothing comes but that it is not recovered")
    func otherEpochIsNotRecovered() throws {
        let id = try conversation(5)
        for seq in [0, 3, 5, 99] {
            let page = try sync([id: cursor(seq, "other")])
            let entry = try #require(page.conversations.first)
            #expect(page.isComplete && page.conversations.count == 1)
            #expect(!entry.isRecovered && entry.messages.isEmpty && entry.epoch == "epoch" && entry.lastSeq == 5)
        }
    }

    @Test("those in which the caller is not were left, whether they exist or not")
    func notAMemberIsLeft() throws {
        let (own, foreign) = (try conversation(1), try conversation(4, of: ["bob", "carol"]))
        let (closed, invented) = (try conversation(2), ConversationID.random())
        try test.store.write { transaction in
            let key = try #require(try transaction.facts.conversations.conversation(closed)).key
            try transaction.members.setOpen(false, for: "alice", in: key, isCounted: false)
        }
        let named = [own, foreign, closed, invented].reduce(into: [:]) { $0[$1] = cursor(0) }
        let page = try sync(named)
        #expect(page.left == [foreign, closed, invented].sorted())
        #expect(page.conversations.map(\.id) == [own])
        #expect(try sync([:]).conversations.map(\.id) == [own])
    }

    @Test("a forged cursor gains nothing")
    func forgedCursorGainsNothing() throws {
        let id = try conversation(10)
        try test.execute("UPDATE members SET visible_from = 6, joined_seq = 6 WHERE user = 'alice'")
        for (seq, expected) in [(0, [7, 8, 9, 10]), (3, [7, 8, 9, 10]), (8, [9, 10]), (11, []), (.max, [])] {
            #expect(try sync([id: cursor(seq)]).conversations.first?.messages.map(\.seq) == expected)
        }
        #expect(try sync([:]).conversations.first?.messages.map(\.seq) == [7, 8, 9, 10])
        #expect(try sync([:]).conversations.first?.unreadCount == 4)
        #expect(try sync([:], for: "bob").conversations.first?.messages.count == 10)
    }

    @Test("whatever the limit, repeating with what has come ends with everything", arguments: [1, 2, 7, 200])
    func repeatingEndsWithAll(limit: Int) throws {
        let ids = try [3, 0, 12, 40, 1].map { try conversation($0) }
        var device = SyncingDevice("alice")
        try device.catchUp(test.store, limit: limit)
        for (id, count) in zip(ids, [3, 0, 12, 40, 1]) {
            #expect(device.seqs(id) == Array(0..<count).map { $0 + 1 })
            #expect(device.standings[id]?.lastSeq == count && device.standings[id]?.unreadCount == count)
        }
        #expect(device.pages.allSatisfy { $0.conversations.map(\.messages.count).reduce(0, +) <= limit })
        #expect(device.pages.dropLast().allSatisfy { !$0.isComplete })
        for id in ids { try write(2, to: id) }
        try device.catchUp(test.store, limit: limit)
        #expect(zip(ids, [5, 2, 14, 42, 3]).allSatisfy { device.seqs($0).count == $1 })
    }

    @Test("a page keeps within its bytes, and the largest of records still comes")
    func pageKeepsWithinBytes() throws {
        let id = try conversation(9, bytes: Limits.contentBytes)
        var device = SyncingDevice("alice")
        try device.catchUp(test.store)
        #expect(device.seqs(id) == Array(1...9))
        #expect(device.pages.dropLast().map { $0.conversations.map(\.messages.count) } == [[2], [2], [2], [2]])
    }

    @Test(
        "what had no room comes by the cursor, once, and whoever does not know it ends all the same", .onSQLite(.cost))
    func noRoomComesByCursor() throws {
        let ids = try (0..<700).map { _ in try test.conversation(["alice", "bob", "carol"]) }
        var device = SyncingDevice("alice")
        try device.catchUp(test.store)
        #expect(device.pages.count > 1 && device.pages.allSatisfy(\.isComplete))
        // What was news on one page is known on the next.
        #expect(Set(device.cursors.keys) == Set(ids))
        try device.catchUp(test.store)
        #expect(device.pages.flatMap { $0.conversations.map(\.id) } == ids.sorted())
        #expect(device.pages.allSatisfy { $0.conversations.allSatisfy { $0.conversation == nil } })
        // One that never sends the cursor back still learns of each conversation there is.
        var simple = SyncingDevice("alice")
        for _ in 0..<8 { try simple.catchUp(test.store, followsCursor: false) }
        #expect(Set(simple.cursors.keys) == Set(ids))
    }

    @Test("where records fill the page, the cursor stands until there is room", .onSQLite(.cost))
    func fullPageKeepsCursor() throws {
        let ids = try (0..<700).map { _ in try test.conversation(["alice", "bob", "carol"]) }
        var device = SyncingDevice("alice")
        try device.catchUp(test.store)
        let first = try sync(device.cursors)
        let cursor = try #require(first.nextCursor)
        try write(5, to: ids[0])
        let busy = try sync(device.cursors, limit: 3, cursor: cursor)
        #expect(!busy.isComplete && busy.nextCursor == cursor && busy.conversations.map(\.id) == [ids[0]])
        device.take(busy)
        let rest = try sync(device.cursors, limit: 3, cursor: cursor)
        #expect(rest.isComplete)
        #expect(
            rest.conversations.dropFirst().map(\.id)
                == ids.sorted().dropFirst(first.conversations.count).filter { $0 != ids[0] })
    }

    @Test("a cursor that the caller was not given is refused", .onSQLite(.cost))
    func foreignCursorIsRefused() throws {
        for _ in 0..<700 { _ = try test.conversation(["alice", "bob", "carol"]) }
        let cursor = try #require(try sync([:]).nextCursor)
        #expect(try sync([:], cursor: cursor).isComplete)
        func refused(_ cursor: String, _ user: UserID) {
            let rejection = #expect(throws: Rejection.self) { try sync([:], cursor: cursor, for: user) }
            #expect(rejection?.code == .badRequest)
        }
        refused(cursor, "bob")
        refused(String(cursor.dropLast()), "alice")
        refused("", "alice")
    }

    @Test("own messages say how far they have come, others' nothing; reading not told is not shown")
    func ownMessagesHaveStatus() throws {
        let id = try test.conversation(["alice", "bob"])
        let ids = (0..<3).map { _ in MessageID.random() }
        test.carryOut(try ids.map { try send(id, id: $0, from: alice) } + [try send(id, from: bob)])
        func mark(_ kind: any Command.Type, _ message: MessageID) throws {
            let json = "{\"conversation_id\":\"\(id)\",\"message_id\":\"\(message)\"}"
            test.carryOut([try request(kind, json, from: bob)])
        }
        try mark(MarkRead.self, ids[0])
        try mark(MarkDelivered.self, ids[1])
        var entry = try #require(try sync([:]).conversations.first)
        #expect(entry.messages.map { $0.status?.name } == ["read", "delivered", "sent", nil])
        #expect(entry.watermarks["bob"] == Watermarks(delivered: 2, read: 1))
        try test.execute("UPDATE users SET send_read_receipts = 0 WHERE id = 'bob'")
        try mark(MarkRead.self, ids[2])
        entry = try #require(try sync([:]).conversations.first)
        #expect(entry.messages.map { $0.status?.name } == ["read", "delivered", "delivered", nil])
        #expect(entry.watermarks["bob"] == Watermarks(delivered: 3, read: 1))
        let own = try #require(try sync([:], for: "bob").conversations.first)
        #expect(own.watermarks["bob"] == Watermarks(delivered: 3, read: 3) && own.unreadCount == 0)
    }
}
