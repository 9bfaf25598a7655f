extension Migration {
    /// How much users have used of their limits.
    static let m019 = Migration(
        name: "019",
        sql: """
            CREATE TABLE limit_uses (
                user TEXT NOT NULL REFERENCES users (id),
                -- What is limited. A gateway of another version may limit other things.
                kind TEXT NOT NULL CHECK (length(kind) BETWEEN 1 AND 64),
                -- When nothing of it counts any more, in microseconds since 1970: of a gateway that is alone by its
                -- steady time, of cells by the clock of PostgreSQL.
                full_at INTEGER NOT NULL,
                PRIMARY KEY (user, kind)
            ) STRICT, WITHOUT ROWID;

            CREATE INDEX limit_uses_by_end ON limit_uses (full_at);
            """)
}
