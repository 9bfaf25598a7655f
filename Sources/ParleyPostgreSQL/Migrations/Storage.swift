/// How PostgreSQL stores a table: what follows its columns.
enum Storage {
    /// Of many rows that are updated again and again. A fifth of each page is left free, so that a new version of a row
    /// finds room on the page of the old one and no index has to learn of it ("heap-only tuples"). Whoever reads the
    /// page next makes room of versions that nobody sees any more.
    static let updated = "WITH (fillfactor = 80)"

    /// Of one row or few that are updated in each transaction: four fifths of the page are left free, for some dozens
    /// of versions that running transactions may still see.
    static let singleRow = "WITH (fillfactor = 20)"

    /// Of rows that come and go all the time. By default PostgreSQL cleans a table when a fifth of its rows are dead,
    /// as they were last counted, and whoever looks for the first of a queue steps over all that are. This one is
    /// cleaned after 2,000 dead rows, whatever its size, and without pauses; so is what is kept apart from its rows
    /// ("TOAST").
    static let queue = """
        WITH (
            fillfactor = 80,
            autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000, autovacuum_vacuum_cost_delay = 0,
            toast.autovacuum_vacuum_scale_factor = 0, toast.autovacuum_vacuum_threshold = 2000,
            toast.autovacuum_vacuum_cost_delay = 0
        )
        """
}
