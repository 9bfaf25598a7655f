extension Migration {
    /// By what a database that was put back is told from the one that the gateway left.
    static let m006 = Migration(
        name: "006",
        sql: """
            -- A name that is another after each start of the gateway; noted in a second file as well. No row before the
            -- first start.
            CREATE TABLE instance (
                id INTEGER PRIMARY KEY CHECK (id = 1),
                name TEXT NOT NULL CHECK (length(name) BETWEEN 1 AND 64)
            ) STRICT;
            """)
}
