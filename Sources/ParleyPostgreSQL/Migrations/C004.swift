extension Migration {
    /// How much users have used of their limits, in all cells: SQLite's migration 019.
    static let c004 = Migration(
        version: 4, leastCompatible: 1,
        statements: [
            """
            CREATE TABLE limit_uses (
                "user" TEXT COLLATE "C" NOT NULL REFERENCES users (id),
                -- What is limited. A gateway of another version may limit other things.
                kind TEXT COLLATE "C" NOT NULL CHECK (length(kind) BETWEEN 1 AND 64),
                -- When nothing of it counts any more, in microseconds since 1970 by the clock of PostgreSQL.
                full_at BIGINT NOT NULL,
                PRIMARY KEY ("user", kind)
            ) \(Storage.updated)
            """,
            "CREATE INDEX limit_uses_by_end ON limit_uses (full_at)",
        ])
}
