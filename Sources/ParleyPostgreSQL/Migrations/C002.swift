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
                -- How many transactions this incarnation has committed.
                commits BIGINT NOT NULL CHECK (commits >= 0),
                -- The last positions of its stream that are committed: of all, and of a change of who may hear what.
                position BIGINT NOT NULL CHECK (position >= 0),
                audience_position BIGINT NOT NULL CHECK (audience_position >= 0),
                -- Where devices reach it, if they are to be told.
                address TEXT COLLATE "C" CHECK (length(address) BETWEEN 1 AND 255),
                -- Of the schema, as its program knows it.
                version BIGINT NOT NULL CHECK (version > 0),
                started_at BIGINT NOT NULL
            ) \(Storage.singleRow)
            """,
            """
            CREATE TABLE cell_leases (
                cell SMALLINT PRIMARY KEY REFERENCES cells (cell),
                -- Until when others wait for it; it shuts its devices out when it cannot renew it. Apart from the row
                -- of the cell, which its transactions lock.
                until BIGINT NOT NULL
            ) \(Storage.singleRow)
            """,
            """
            CREATE TABLE cell_marks (
                reader SMALLINT NOT NULL REFERENCES cells (cell),
                writer SMALLINT NOT NULL REFERENCES cells (cell),
                -- The reader has published the writer's events up to here,
                position BIGINT NOT NULL CHECK (position >= 0),
                -- and its broker lets nobody hear what the writer's changes up to here forbid.
                audience_position BIGINT NOT NULL CHECK (audience_position >= 0),
                PRIMARY KEY (reader, writer)
            ) \(Storage.singleRow)
            """,
            """
            CREATE TABLE audience_changes (
                -- In the stream of the cell that has made it.
                position BIGINT PRIMARY KEY,
                -- As the broker's plugin is told. A reader takes from it what has changed, and reads how it is now.
                change BYTEA NOT NULL
            ) \(Storage.queue)
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
            // What each gateway has a row of.
            "ALTER TABLE publishing DROP CONSTRAINT publishing_id_check",
            "ALTER TABLE clock DROP CONSTRAINT clock_id_check",
            "ALTER TABLE instance DROP CONSTRAINT instance_id_check",
            "ALTER TABLE push_link DROP CONSTRAINT push_link_id_check",
            // Raised with each change of who hears of a conversation. It needs no new version of the rows there are.
            "ALTER TABLE conversations ADD COLUMN audience_version BIGINT NOT NULL DEFAULT 0",
        ])
}
