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
    static func key(_ value: ConversationKey) -> BoundValue { .integer(Int(value.value)) }
    static func id(_ value: some UUIDIdentifier) -> BoundValue { .blob(value.value.bytes) }
}

extension HotStatement {
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
            var index: Int32 = 1
            for values in rest.prefix(size) {
                for value in values {
                    try statement.bind(value, at: index)
                    index += 1
                }
            }
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
        _ body: (HotStatement) throws(StoreError) -> Void
    ) throws(StoreError) {
        var rest = keys[...]
        while !rest.isEmpty {
            let size = ListSize.holding(rest.count).rawValue
            let statement = try HotStatement(sql(list(key, size)), self)
            var index: Int32 = 1
            for values in rest.prefix(size) {
                for value in values {
                    try statement.bind(value, at: index)
                    index += 1
                }
            }
            defer { statement.reset() }
            while try statement.hasRow() { try body(statement) }
            rest = rest.dropFirst(size)
        }
    }

    private func list(_ element: String, _ count: Int) -> String {
        String(repeating: element + ", ", count: count - 1) + element
    }
}
