import Foundation
import ParleyProtocol

@testable import ParleyStore

/// Two users of the largest size that the limits allow: `big` and `large`, each in 5,000 groups of three that they have made
/// and 500 that others have put them into, with thousands of people who follow, block and ask them, and a full feed.
///
/// They share the very last of their conversations, if any.
struct LargeUsers {
    static let own = 5000
    static let byOthers = 500
    static let people = 3000
    static let feed = 500

    let store: Store

    /// - Parameters:
    ///   - hasStatistics: whether SQLite knows how the tables are filled (`sqlite_stat1`).
    ///   - isShared: whether the two share a group, the oldest in which they are.
    init(_ path: String, hasStatistics: Bool = false, isShared: Bool = false) throws {
        var store = try Store(path: path)
        try store.write { transaction in
            let database = transaction.database
            for sql in Self.statements { try database.run(sql) }
            if isShared {
                try database.run(
                    """
                    INSERT INTO members (conversation, "user", role, joined_at, active_at)
                    SELECT min(conversation), 'large', 'member', 0, 0 FROM members WHERE "user" = 'big'
                    """)
            }
        }
        if hasStatistics {
            try store.execute("ANALYZE")
            // What statistics say is read when a connection is opened.
            try store.close()
            store = try Store(path: path)
        }
        self.store = store
    }

    /// Numbers from 1 on.
    private static func numbers(_ count: Int) -> String {
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(count))"
    }

    private static let statements: [String] =
        [
            """
            \(numbers(people)) INSERT INTO users (id, role, display_name, created_at)
            SELECT 'u' || i, 'member', 'U', 0 FROM n
            """,
            "INSERT INTO users (id, role, display_name, created_at) VALUES ('big', 'member', 'B', 0), ('large', 'member', 'L', 0)",
        ] + groups(of: "big", from: 0) + groups(of: "large", from: 100_000) + ["big", "large"].flatMap(surroundings)

    /// Their groups of three; of the last ones others are the makers.
    private static func groups(of user: String, from start: Int) -> [String] {
        let count = own + byOthers
        func insert(_ member: String, _ rest: String) -> String {
            """
            \(numbers(count)) INSERT INTO members (conversation, "user", role, joined_at, active_at, added_by, is_counted)
            SELECT \(start) + i, \(member), 'member', 0, i, \(rest) FROM n
            """
        }
        let isOwn = "i <= \(own)"
        return [
            """
            \(numbers(count)) INSERT INTO conversations (key, id, type, created_by, created_at, updated_at, epoch, last_seq)
            SELECT \(start) + i, CAST(printf('%016d', \(start) + i) AS BLOB), 'group',
                CASE WHEN \(isOwn) THEN '\(user)' ELSE 'u1' END, 0, i, 'e', 1 FROM n
            """,
            insert("'\(user)'", "CASE WHEN \(isOwn) THEN NULL ELSE 'u1' END, \(isOwn)"),
            insert("'u' || (2 + i % \(people / 2))", "'\(user)', 0"),
            insert("'u' || (2 + \(people / 2) + i % (\(people / 2) - 2))", "'\(user)', 0"),
        ]
    }

    /// Who follows, blocks and asks a user, and their feed.
    private static func surroundings(of user: String) -> [String] {
        [
            "INSERT INTO follows SELECT id, '\(user)', 1 FROM users WHERE id LIKE 'u%'",
            "INSERT INTO follows SELECT '\(user)', id, 1 FROM users WHERE id LIKE 'u1%'",
            "INSERT INTO blocks (blocker, blocked, created_at) SELECT '\(user)', id, 1 FROM users WHERE id LIKE 'u2%'",
            """
            INSERT INTO message_requests (sender, recipient, state, conversation, created_at)
            SELECT id, '\(user)', 'waiting', (SELECT min(key) FROM conversations), 1 FROM users WHERE id LIKE 'u%'
            """,
            """
            \(numbers(feed)) INSERT INTO notifications
                ("user", number, id, type, subject, is_read, created_at, expires_at, disappears_at)
            SELECT '\(user)', i, randomblob(16), 'new_follower', x'7b7d', 0, 0, 9, 9 FROM n
            """,
        ]
    }
}
