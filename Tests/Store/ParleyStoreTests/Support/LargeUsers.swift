import Foundation
import ParleyProtocol
import TestNames

@testable import ParleyStore

/// A store with the two users of ``LargeUserRows``. They share the very last of their conversations, if any.
struct LargeUsers {
    let store: Store

    /// - Parameters:
    ///   - hasStatistics: whether SQLite knows how the tables are filled (`sqlite_stat1`).
    ///   - isShared: whether the two share a group, the oldest in which they are.
    init(_ path: String, hasStatistics: Bool = false, isShared: Bool = false) throws {
        var store = try Store(path: path)
        try store.write { transaction in
            let database = transaction.database
            for sql in LargeUserRows.statements { try database.run(sql) }
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
}
