extension Migration {
    /// Cells: machines that serve the users of one database, each with a stream of events of its own.
    static let c002 = Migration(
        version: 2, leastCompatible: 1,
        statements: [
            // All times are in milliseconds since 1970 by the clock of PostgreSQL: the clocks of cells may differ.
            """
            CREATE TABLE cells (
                -- The upper bits of the positions in its stream. 0 is a gateway's that has no cells.
                cell SMALLINT PRIMARY KEY CHECK (cell >= 0),
                name TEXT COLLATE "C" NOT NULL UNIQUE CHECK (length(name) BETWEEN 1 AND 64),
                -- Another one at each start of its gateway: one that was replaced and does not know it yet changes
                -- nothing any more.
                incarnation BYTEA NOT NULL CHECK (length(incarnation) = 16),
                -- The last position of its stream that is committed.
                position BIGINT NOT NULL CHECK (position >= 0),
                -- How many transactions this incarnation has committed.
                commits BIGINT NOT NULL CHECK (commits >= 0),
                -- Until when others wait for it; it shuts its devices out when it cannot renew it.
                lease_until BIGINT NOT NULL,
                -- Where devices reach it, if they are to be told.
                address TEXT COLLATE "C" CHECK (length(address) BETWEEN 1 AND 255),
                -- Of the schema, as its program knows it.
                version BIGINT NOT NULL CHECK (version > 0),
                started_at BIGINT NOT NULL
            ) \(Storage.singleRow)
            """,
            """
            CREATE TABLE cell_marks (
                -- The cell that has delivered all of the writer's stream up to the position to its own devices.
                reader SMALLINT NOT NULL REFERENCES cells (cell),
                writer SMALLINT NOT NULL REFERENCES cells (cell),
                position BIGINT NOT NULL CHECK (position >= 0),
                PRIMARY KEY (reader, writer)
            ) \(Storage.singleRow)
            """,
            """
            CREATE TABLE sessions (
                "user" TEXT COLLATE "C" NOT NULL REFERENCES users (id),
                cell SMALLINT NOT NULL REFERENCES cells (cell),
                since BIGINT NOT NULL,
                PRIMARY KEY ("user", cell)
            )
            """,
            // By what the rows of a cell that is gone are found.
            "CREATE INDEX sessions_of_cell ON sessions (cell)",
            // Raised with each change of who hears of a conversation. It needs no new version of the rows there are.
            "ALTER TABLE conversations ADD COLUMN audience_version BIGINT NOT NULL DEFAULT 0",
        ])
}
