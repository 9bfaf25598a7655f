extension Migration {
    /// Uploads of the files of queued messages.
    static let m005 = Migration(
        name: "005",
        sql: """
            CREATE TABLE uploads (
                -- The queued message that waits for it.
                message BLOB NOT NULL PRIMARY KEY CHECK (length(message) = 16),
                -- What the sealed file and the blob at the gateway are called.
                blob BLOB NOT NULL UNIQUE CHECK (length(blob) = 16),
                -- 0: under way, 1: paused, 2: complete.
                state INTEGER NOT NULL DEFAULT 0 CHECK (state IN (0, 1, 2)),
                -- Where the file came from.
                sealed BLOB NOT NULL
            ) STRICT, WITHOUT ROWID;
            """)
}
