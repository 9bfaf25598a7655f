extension Migration {
    /// Users whom an operator has disabled, people whose content is erased, and for how long messages are kept.
    static let m022 = Migration(
        name: "022",
        sql: """
            -- Since when they sign in nowhere; NULL for a user who may.
            ALTER TABLE users ADD COLUMN disabled_at INTEGER;
            -- When an operator has had the content of a departed user erased.
            ALTER TABLE users ADD COLUMN erased_at INTEGER;

            -- Departed users of whose content something may be left.
            CREATE TABLE erasures (
                user TEXT NOT NULL PRIMARY KEY REFERENCES users (id),
                -- The records of all conversations up to here were looked at, by their positions.
                looked_through INTEGER NOT NULL CHECK (looked_through >= 0)
            ) STRICT, WITHOUT ROWID;

            -- For how long the messages of a conversation are kept, where an operator has said so.
            CREATE TABLE retentions (
                conversation INTEGER PRIMARY KEY REFERENCES conversations (key),
                -- 0 for ever.
                days INTEGER NOT NULL CHECK (days >= 0)
            ) STRICT;

            CREATE TABLE retention_marks (
                conversation INTEGER PRIMARY KEY REFERENCES conversations (key),
                -- The records up to here are kept no longer.
                removed_through INTEGER NOT NULL CHECK (removed_through > 0)
            ) STRICT;
            """)
}
