import ParleyProtocol
import TestNames
import Testing

@testable import ParleyBridge
@testable import ParleyStore

/// Conversations in which far more is unread than a page may count.
@Suite("The largest items on a page")
struct PageBudgetTests {
    private let test: TestWriter
    private let ids: [ConversationID]

    init() throws {
        test = try TestWriter()
        let test = test
        ids = try (0..<55).map { number in try test.conversation(["alice", "bob"], now: at(Int64(number))) }
        // A thousand messages of bob's in each.
        try test.execute(
            """
            WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < \(ids.count * 1000 - 1))
            INSERT INTO records (position, conversation, seq, id, kind, sender, sender_device, type, content, nonce,
                created_at, digest)
            SELECT i + 1, i % \(ids.count) + 1, i / \(ids.count) + 1, CAST(printf('%016d', i) AS BLOB), 0, 'bob', 'phone', 0,
                zeroblob(16), zeroblob(12), 0, zeroblob(16) FROM n
            """)
        try test.execute("UPDATE conversations SET last_seq = 1000, last_message_seq = 1000")
    }

    @Test("a list of these ends early, and goes on where it ended")
    func listEndsEarly() throws {
        var told: [Int] = []
        while true {
            let request = ListConversations(limit: 200, offset: told.reduce(0, +), archived: false)
            let page = try test.store.read { snapshot in
                try ConversationPage.read(request, for: "alice", snapshot, now: at(0))
            }
            var writer = JSONWriter()
            page.write(to: &writer)
            let items = try JSONObject(parsing: writer.finish()).objects("conversations", maximum: 200).required(
                "conversations")
            #expect(try items.allSatisfy { try $0.integer("unread_count", in: 0...2000) == 1000 })
            guard !items.isEmpty else { break }
            told.append(items.count)
        }
        #expect(told == [50, 5])
    }

    @Test("catching up with these takes a page more, and misses none")
    func syncTakesAPageMore() throws {
        let cursors = Dictionary(uniqueKeysWithValues: ids.map { ($0, SyncRequest.Cursor(epoch: "epoch", seq: 1000)) })
        var told: [Set<ConversationID>] = []
        var cursor: String?
        repeat {
            let page = try sync(SyncRequest(cursors: cursors, cursor: cursor), for: "alice", test.store)
            #expect(page.isComplete && page.conversations.allSatisfy { $0.unreadCount == 1000 })
            told.append(Set(page.conversations.map(\.id)))
            cursor = page.nextCursor
        } while cursor != nil
        #expect(told.map(\.count) == [50, 5])
        #expect(told.reduce(Set()) { $0.union($1) } == Set(ids))
    }
}
