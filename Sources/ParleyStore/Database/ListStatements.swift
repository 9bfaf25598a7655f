// Statements for many keys or rows of values at once.

/// How many rows of values one statement holds: few sizes, so that few statements are prepared.
enum ListSize: Int, CaseIterable {
    case one = 1
    case two = 2
    case four = 4
    case eight = 8
    case sixteen = 16
    case sixtyFour = 64

    /// The least that holds so many, or the largest.
    static func holding(_ count: Int) -> ListSize { allCases.first { $0.rawValue >= count } ?? .sixtyFour }
    /// The largest that so many fill.
    static func filled(by count: Int) -> ListSize { allCases.last { $0.rawValue <= count } ?? .one }
}

extension Database {
    /// Runs a statement for rows of values, as many at once as a statement holds.
    ///
    /// - Parameters:
    ///   - row: the parameters of one row, `(?, ?)`.
    ///   - sql: the statement around the rows, which are separated by commas.
    func run(
        _ rows: some RandomAccessCollection<[BoundValue]>, row: String, _ sql: (_ rows: String) -> String
    ) throws(StoreError) {
        var rest = rows[...]
        while !rest.isEmpty {
            let size = ListSize.filled(by: rest.count).rawValue
            try run(sql(list(row, size)), values: rest.prefix(size).joined())
            rest = rest.dropFirst(size)
        }
    }

    /// Reads the rows of a query for keys, as many at once as a statement holds.
    ///
    /// - Parameters:
    ///   - keys: the values of each; a list that is not full is filled with NULL.
    ///   - key: the parameters of one, `?` or `(?, ?)`. SQLite looks up several columns at once by an index only where
    ///     they are joined: `FROM (VALUES \(keys)) AS k CROSS JOIN t WHERE t.a = k.column1 AND t.b = k.column2`.
    func read(
        _ keys: some RandomAccessCollection<[BoundValue]>, key: String, _ sql: (_ keys: String) -> String,
        _ body: (Row) throws -> Void
    ) throws(StoreError) {
        var rest = keys[...]
        while let first = rest.first {
            let size = ListSize.holding(rest.count).rawValue
            try each(sql(list(key, size)), rest.prefix(size).joined(), count: size * first.count) { row in
                try body(row)
                return true
            }
            rest = rest.dropFirst(size)
        }
    }

    /// The same, each row as `entry` reads key and value from it.
    func table<Key: Hashable, Value>(
        _ keys: some RandomAccessCollection<[BoundValue]>, key: String, _ sql: (_ keys: String) -> String,
        _ entry: (Row) throws -> (Key, Value)
    ) throws(StoreError) -> [Key: Value] {
        var table: [Key: Value] = [:]
        try read(keys, key: key, sql) { row in
            let (key, value) = try entry(row)
            table[key] = value
        }
        return table
    }

    private func list(_ element: String, _ count: Int) -> String {
        String(repeating: element + ", ", count: count - 1) + element
    }
}
