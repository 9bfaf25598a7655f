extension Migration {
    /// The schema of SQLite as its migrations 001 to 018 and P001 have made it, in PostgreSQL's words.
    static let c001 = Migration(
        version: 1, leastCompatible: 1,
        statements: C001.foundation + C001.users + C001.accounts + C001.devices + C001.conversations + C001.messages
            + C001.outbox + C001.social + C001.groups + C001.training + C001.boards + C001.notifications
            + C001.pushEvents + C001.pushes)
}

/// The statements of the first migration, by capability. What holds of all tables:
///
/// - Columns stand in SQLite's order and have its names. `INTEGER` is `BIGINT`, `BLOB` is `BYTEA`. `TEXT` is compared
///   by its bytes as SQLite compares it (`COLLATE "C"`), whatever the database's own collation is.
/// - A key that SQLite gives out is an identity; `BY DEFAULT`, since rows that come from another database keep theirs.
///   Positions and the keys of activities are given by the gateway.
/// - Names of constraints do not depend on their order in the table: PostgreSQL chooses them from the names of the
///   table and the column. A check that names several columns or is a column's second one has a name written out.
enum C001 {
    /// What the statements need before there is a table.
    static let foundation = [
        // SQLite's name for bytes, which stands in casts.
        "CREATE DOMAIN blob AS bytea",
        """
        CREATE TABLE schema_version (
            version BIGINT PRIMARY KEY CHECK (version > 0),
            -- The least version whose program may run on this schema.
            least_compatible BIGINT NOT NULL
                CONSTRAINT schema_version_least_compatible_check CHECK (least_compatible BETWEEN 1 AND version),
            -- In milliseconds since 1970, by the clock of PostgreSQL.
            applied_at BIGINT NOT NULL
        )
        """,
    ]
}
