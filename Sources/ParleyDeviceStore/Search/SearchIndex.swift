import GRDB
import ParleyProtocol

/// The words of opened messages, in an SQLite database in memory (FTS5).
///
/// The texts are not stored (`content=''`), so words cannot be removed: a changed message gets a new number, and the
/// old number is unused until the index is rebuilt.
struct SearchIndex {
    private let queue: DatabaseQueue

    init() throws {
        var configuration = Configuration()
        configuration.label = "parley.search"
        configuration.prepareDatabase { database in
            try database.execute(sql: "PRAGMA temp_store = MEMORY")
        }
        queue = try DatabaseQueue(configuration: configuration)
        try queue.write { database in
            try database.execute(
                sql: """
                    CREATE VIRTUAL TABLE words USING fts5(text, content='', tokenize='unicode61 remove_diacritics 2');
                    CREATE TABLE numbers (
                        number INTEGER PRIMARY KEY AUTOINCREMENT,
                        key INTEGER NOT NULL UNIQUE,
                        conversation BLOB NOT NULL,
                        sent_at INTEGER NOT NULL
                    ) STRICT;
                    """)
        }
    }

    func write(_ body: (Writing) throws -> Void) throws {
        try queue.write { try body(Writing(database: $0)) }
    }

    struct Writing {
        fileprivate let database: Database

        func put(key: Int, _ conversation: ConversationID, _ searchable: SearchableText) throws {
            try remove(key: key)
            try database.run(
                "INSERT INTO numbers (key, conversation, sent_at) VALUES (?, ?, ?)",
                [key, conversation.blob, searchable.sentAt.milliseconds])
            try database.run(
                "INSERT INTO words (rowid, text) VALUES (?, ?)", [database.lastInsertedRowID, searchable.text])
        }

        func remove(key: Int) throws {
            try database.run("DELETE FROM numbers WHERE key = ?", [key])
        }
    }

    /// The keys of the matching messages, the newest first.
    func find(_ query: SearchQuery) throws -> [Int] {
        guard let expression = query.expression else { return [] }
        return try queue.read { database in
            try database.map(
                """
                SELECT n.key FROM words JOIN numbers n ON n.number = words.rowid
                WHERE words MATCH ?1 AND (?2 IS NULL OR n.conversation = ?2) ORDER BY n.sent_at DESC, n.key DESC LIMIT ?3
                """, [expression, query.conversation?.blob, query.limit]
            ) { try $0.integer(0) }
        }
    }
}
