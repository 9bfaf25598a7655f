extension Migration {
    /// Users whom an operator has disabled, people whose content is erased, and for how long messages are kept:
    /// SQLite's migration 022.
    ///
    /// A program of an earlier version goes on, and lets a disabled user in: nobody is to be disabled before all cells
    /// are of this version.
    static let c008 = Migration(
        version: 8, leastCompatible: 1,
        statements: [
            // Since when they sign in nowhere; NULL for a user who may. It needs no new version of the rows there are.
            "ALTER TABLE users ADD COLUMN disabled_at BIGINT",
            // When an operator has had the content of a departed user erased.
            "ALTER TABLE users ADD COLUMN erased_at BIGINT",
            """
            CREATE TABLE erasures (
                "user" TEXT COLLATE "C" NOT NULL PRIMARY KEY REFERENCES users (id),
                -- The records of all conversations up to here were looked at, by their positions.
                looked_through BIGINT NOT NULL CHECK (looked_through >= 0)
            )
            """,
            """
            CREATE TABLE retentions (
                conversation BIGINT PRIMARY KEY REFERENCES conversations (key),
                -- 0 for ever.
                days BIGINT NOT NULL CHECK (days >= 0)
            )
            """,
            """
            CREATE TABLE retention_marks (
                conversation BIGINT PRIMARY KEY REFERENCES conversations (key),
                -- The records up to here are kept no longer.
                removed_through BIGINT NOT NULL CHECK (removed_through > 0)
            ) \(Storage.updated)
            """,
        ])
}
