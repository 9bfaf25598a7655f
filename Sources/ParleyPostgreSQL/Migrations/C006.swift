extension Migration {
    /// Where an export puts what is not published of a file's decisions: SQLite's migration 020.
    static let c006 = Migration(
        version: 6, leastCompatible: 1,
        statements: [
            """
            CREATE TABLE push_announcements (
                id BYTEA PRIMARY KEY CHECK (length(id) = 16),
                -- 0: a message, at its position; 1: a digest; 2: a clearance of a conversation up to seq.
                kind BIGINT NOT NULL CHECK (kind BETWEEN 0 AND 2),
                "user" TEXT COLLATE "C" NOT NULL,
                position BIGINT,
                conversation BIGINT,
                seq BIGINT,
                created_at BIGINT NOT NULL,
                CONSTRAINT push_announcements_position_by_kind CHECK ((kind = 0) = (position IS NOT NULL)),
                CONSTRAINT push_announcements_conversation_by_kind CHECK ((kind = 2) = (conversation IS NOT NULL)),
                CONSTRAINT push_announcements_seq_by_kind CHECK ((kind = 2) = (seq IS NOT NULL))
            )
            """
        ])
}
