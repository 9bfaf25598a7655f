extension Migration {
    /// A copy of a database that several gateways shared carries what is not published of their decisions.
    static let m020 = Migration(
        name: "020",
        sql: """
            -- What topics are to have, until it is carried into the database of pushes, as its first plan.
            CREATE TABLE push_announcements (
                id BLOB PRIMARY KEY CHECK (length(id) = 16),
                -- 0: a message, at its position; 1: a digest; 2: a clearance of a conversation up to seq.
                kind INTEGER NOT NULL CHECK (kind BETWEEN 0 AND 2),
                user TEXT NOT NULL,
                position INTEGER,
                conversation INTEGER,
                seq INTEGER,
                created_at INTEGER NOT NULL,
                CHECK ((kind = 0) = (position IS NOT NULL)),
                CHECK ((kind = 2) = (conversation IS NOT NULL)),
                CHECK ((kind = 2) = (seq IS NOT NULL))
            ) STRICT, WITHOUT ROWID;
            """)
}
