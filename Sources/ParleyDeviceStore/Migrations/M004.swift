extension Migration {
    /// Queued requests.
    static let m004 = Migration(
        name: "004",
        sql: """
            CREATE TABLE requests (
                -- The order in which they are made.
                position INTEGER PRIMARY KEY,
                -- Of what is kept twice the latter stays.
                id BLOB NOT NULL UNIQUE CHECK (length(id) = 16),
                sealed BLOB NOT NULL
            ) STRICT;
            """)
}
