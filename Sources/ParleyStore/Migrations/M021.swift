extension Migration {
    /// Files that messages name. Their bytes are with the web doors.
    static let m021 = Migration(
        name: "021",
        sql: """
            CREATE TABLE blobs (
                id BLOB PRIMARY KEY CHECK (length(id) = 16),
                conversation INTEGER NOT NULL REFERENCES conversations (key),
                maker TEXT NOT NULL REFERENCES users (id),
                -- Of the sealed bytes, and their SHA-256.
                size INTEGER NOT NULL CHECK (size > 16),
                sha256 BLOB NOT NULL CHECK (length(sha256) = 32),
                -- Of the request that has made it.
                digest BLOB NOT NULL CHECK (length(digest) = 16),
                created_at INTEGER NOT NULL,
                -- Those of the message that names it, which may be NULL; before that, the end of its waiting for one.
                expires_at INTEGER,
                disappears_at INTEGER,
                -- Of the message that names it.
                seq INTEGER CHECK (seq > 0),
                CHECK ((expires_at IS NULL) = (disappears_at IS NULL)),
                CHECK (seq IS NOT NULL OR disappears_at IS NOT NULL)
            ) STRICT, WITHOUT ROWID;

            CREATE INDEX blobs_of_maker ON blobs (maker, seq, disappears_at);
            CREATE INDEX blobs_of_message ON blobs (conversation, seq) WHERE seq IS NOT NULL;
            CREATE INDEX blobs_to_disappear ON blobs (disappears_at) WHERE disappears_at IS NOT NULL;

            -- Nobody's any more. The id is kept for a time, so that nothing that is still under way meets another file.
            CREATE TABLE gone_blobs (
                id BLOB PRIMARY KEY CHECK (length(id) = 16),
                -- By the steady time.
                gone_at INTEGER NOT NULL,
                -- Whether a web door has removed the bytes.
                is_removed INTEGER NOT NULL DEFAULT 0 CHECK (is_removed IN (0, 1))
            ) STRICT, WITHOUT ROWID;

            CREATE INDEX gone_blobs_by_time ON gone_blobs (gone_at);
            CREATE INDEX gone_blobs_to_remove ON gone_blobs (gone_at) WHERE is_removed = 0;
            """)
}
