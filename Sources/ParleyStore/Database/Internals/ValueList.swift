import GRDB
import ParleyProtocol

/// A value that is bound to a parameter.
enum BoundValue {
    case integer(Int?)
    case text(String)
    case blob([UInt8]?)
    case optionalText(String?)

    static func bool(_ value: Bool) -> BoundValue { .integer(value ? 1 : 0) }
    static func time(_ value: Timestamp?) -> BoundValue { .integer(value.map { Int($0.milliseconds) }) }
    static func key(_ value: RowKey<some Any>) -> BoundValue { .integer(Int(value.value)) }
    static func id(_ value: some UUIDIdentifier) -> BoundValue { .blob(value.value.bytes) }
    static func day(_ value: CivilDay) -> BoundValue { .integer(value.daysSinceEpoch) }
    static func week(_ value: ISOWeek) -> BoundValue { .integer(value.column) }
}

extension HotStatement {
    func bind(_ values: some Sequence<BoundValue>) throws(StoreError) {
        var index: Int32 = 1
        for value in values {
            try bind(value, at: index)
            index += 1
        }
    }

    func bind(_ value: BoundValue, at index: Int32) throws(StoreError) {
        switch value {
        case .integer(let value): try bind(value, at: index)
        case .text(let value): try bind(value, at: index)
        case .blob(let value): try bind(value, at: index)
        case .optionalText(let value): if let value { try bind(value, at: index) }
        }
    }
}

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
            let statement = try HotStatement(sql(list(row, size)), self)
            try statement.bind(rest.prefix(size).joined())
            try statement.run()
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
        _ body: (HotStatement) throws -> Void
    ) throws(StoreError) {
        var rest = keys[...]
        while !rest.isEmpty {
            let size = ListSize.holding(rest.count).rawValue
            let statement = try HotStatement(sql(list(key, size)), self)
            try statement.bind(rest.prefix(size).joined())
            defer { statement.reset() }
            try StoreError.translating { while try statement.hasRow() { try body(statement) } }
            rest = rest.dropFirst(size)
        }
    }

    /// The same, each row as `entry` reads key and value from it.
    func table<Key: Hashable, Value>(
        _ keys: some RandomAccessCollection<[BoundValue]>, key: String, _ sql: (_ keys: String) -> String,
        _ entry: (HotStatement) throws -> (Key, Value)
    ) throws(StoreError) -> [Key: Value] {
        var table: [Key: Value] = [:]
        try read(keys, key: key, sql) { row in
            let (key, value) = try entry(row)
            table[key] = value
        }
        return table
    }

    /// `list`, on the hot path.
    func hotList<Element>(
        _ sql: String, _ values: [BoundValue], _ element: (HotStatement) throws -> Element
    ) throws(StoreError) -> [Element] {
        let statement = try HotStatement(sql, self)
        try statement.bind(values)
        defer { statement.reset() }
        return try StoreError.translating {
            var list: [Element] = []
            while try statement.hasRow() { list.append(try element(statement)) }
            return list
        }
    }

    /// The first row alone: the statement is not run to its end.
    func hotFirst<Element>(
        _ sql: String, _ values: [BoundValue], _ element: (HotStatement) throws -> Element
    ) throws(StoreError) -> Element? {
        let statement = try HotStatement(sql, self)
        try statement.bind(values)
        defer { statement.reset() }
        return try StoreError.translating { try statement.hasRow() ? try element(statement) : nil }
    }

    /// `run`, on the hot path.
    func hotRun(_ sql: String, _ values: [BoundValue]) throws(StoreError) {
        let statement = try HotStatement(sql, self)
        try statement.bind(values)
        try statement.run()
    }

    private func list(_ element: String, _ count: Int) -> String {
        String(repeating: element + ", ", count: count - 1) + element
    }
}
