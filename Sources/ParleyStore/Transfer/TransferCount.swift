/// Counts what two databases hold, in steps none of which takes long.
enum TransferCount {
    private static let step = 50_000

    /// - Parameters:
    ///   - start: the key behind which rows are counted; empty for all.
    ///   - read: gives a database, and where the table is in it.
    static func rows(
        of table: TransferTable, after start: [BoundValue] = [],
        _ read: ((Database, (name: String, columns: String)) throws -> Void) throws -> Void
    ) throws -> Int {
        var (count, key, isOver) = (0, start, false)
        while !isOver {
            try read { database, from in
                let condition = key.isEmpty ? "" : "WHERE (\(table.keyList)) > (\(table.keyParameters))"
                let rows = "FROM \(from.name) \(condition)"
                let last = try database.first(
                    "SELECT \(table.keyList) \(rows) ORDER BY \(table.keyList) LIMIT 1 OFFSET \(step - 1)",
                    Arguments(key)
                ) { $0.values(table.key.count) }
                if let last {
                    (count, key) = (count + step, last)
                } else {
                    count += try database.row("SELECT count(*) \(rows)", Arguments(key))?[0] ?? 0
                    isOver = true
                }
            }
        }
        return count
    }

    struct Log: Hashable {
        let conversation, records, lastSeq: Int
    }

    /// The logs of the next conversations.
    static func logs(_ store: Store, after conversation: Int) throws(StoreError) -> [Log] {
        try store.read { snapshot throws in
            try snapshot.database.list(
                """
                SELECT conversation, count(*), max(seq) FROM records WHERE conversation > ?
                GROUP BY conversation ORDER BY conversation LIMIT 1000
                """, [conversation]
            ) { Log(conversation: $0[0], records: $0[1], lastSeq: $0[2]) }
        }
    }
}
