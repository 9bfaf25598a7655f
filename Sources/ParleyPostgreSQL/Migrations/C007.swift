extension Migration {
    /// Files that messages name: SQLite's migration 021.
    static let c007 = Migration(
        version: 7, leastCompatible: 1,
        statements: [
            """
            CREATE TABLE blobs (
                id BYTEA PRIMARY KEY CHECK (length(id) = 16),
                conversation BIGINT NOT NULL REFERENCES conversations (key),
                maker TEXT COLLATE "C" NOT NULL REFERENCES users (id),
                -- Of the sealed bytes, and their SHA-256.
                size BIGINT NOT NULL CHECK (size > 16),
                sha256 BYTEA NOT NULL CHECK (length(sha256) = 32),
                -- Of the request that has made it.
                digest BYTEA NOT NULL CHECK (length(digest) = 16),
                created_at BIGINT NOT NULL,
                -- Those of the message that names it, which may be NULL; before that, the end of its waiting for one.
                expires_at BIGINT,
                disappears_at BIGINT,
                -- Of the message that names it.
                seq BIGINT CHECK (seq > 0),
                CONSTRAINT blobs_both_ends CHECK ((expires_at IS NULL) = (disappears_at IS NULL)),
                CONSTRAINT blobs_unnamed_end CHECK (seq IS NOT NULL OR disappears_at IS NOT NULL)
            ) \(Storage.updated)
            """,
            "CREATE INDEX blobs_of_maker ON blobs (maker, seq, disappears_at)",
            "CREATE INDEX blobs_of_message ON blobs (conversation, seq) WHERE seq IS NOT NULL",
            "CREATE INDEX blobs_to_disappear ON blobs (disappears_at) WHERE disappears_at IS NOT NULL",
            """
            CREATE TABLE gone_blobs (
                -- Nobody's any more. The id is kept for a time, so that nothing that is still under way meets another
                -- file.
                id BYTEA PRIMARY KEY CHECK (length(id) = 16),
                -- By the steady time.
                gone_at BIGINT NOT NULL,
                -- Whether a web door has removed the bytes.
                is_removed BIGINT NOT NULL DEFAULT 0 CHECK (is_removed IN (0, 1))
            )
            """,
            "CREATE INDEX gone_blobs_by_time ON gone_blobs (gone_at)",
            "CREATE INDEX gone_blobs_to_remove ON gone_blobs (gone_at) WHERE is_removed = 0",
        ])
}
