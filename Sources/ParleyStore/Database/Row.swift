/// A row of a query's result; gone when the next is asked for, unless it was copied.
struct Row: ColumnReader {
    private enum Source {
        case sqlite(SQLiteStatement)
        case remote(any RemoteRows)
        case copied([BoundValue])
    }

    private let source: Source

    init(_ statement: SQLiteStatement) { source = .sqlite(statement) }

    init(_ rows: any RemoteRows) { source = .remote(rows) }

    init(copying values: [BoundValue]) { source = .copied(values) }

    func isNull(_ column: Int) -> Bool {
        switch source {
        case .sqlite(let statement): statement.isNull(column)
        case .remote(let rows): rows.isNull(column)
        case .copied(let values): values[column].isNull
        }
    }

    func integer(_ column: Int) -> Int {
        switch source {
        case .sqlite(let statement): statement.integer(column)
        case .remote(let rows): rows.integer(column)
        case .copied(let values): values[column].integer
        }
    }

    func text(_ column: Int) -> String {
        switch source {
        case .sqlite(let statement): statement.text(column)
        case .remote(let rows): rows.text(column)
        case .copied(let values): values[column].text
        }
    }

    func bytes(_ column: Int) -> [UInt8]? {
        switch source {
        case .sqlite(let statement): statement.bytes(column)
        case .remote(let rows): rows.bytes(column)
        case .copied(let values): values[column].bytes
        }
    }

    func withBytes<Result>(_ column: Int, _ body: (Span<UInt8>) -> Result?) -> Result? {
        switch source {
        case .sqlite(let statement): return statement.withBytes(column, body)
        case .remote(let rows): return rows.withBytes(column, body)
        case .copied(let values):
            let bytes = values[column].bytes ?? []
            return body(bytes.span)
        }
    }

    /// The values of the first columns, as they are stored.
    func values(_ count: Int) -> [BoundValue] {
        (0..<count).map { column in
            switch source {
            case .sqlite(let statement): statement.value(column)
            case .remote(let rows): rows.value(column)
            case .copied(let values): values[column]
            }
        }
    }
}

// How SQLite converts a value that is read as another type.
extension BoundValue {
    fileprivate var isNull: Bool {
        switch self {
        case .integer(let value): value == nil
        case .text: false
        case .blob(let bytes): bytes == nil
        case .optionalText(let text): text == nil
        }
    }

    fileprivate var integer: Int {
        switch self {
        case .integer(let value): value ?? 0
        case .text, .blob, .optionalText: 0
        }
    }

    fileprivate var text: String {
        switch self {
        case .text(let text): text
        case .optionalText(let text): text ?? ""
        case .integer, .blob: ""
        }
    }

    /// The bytes of a text as they are.
    fileprivate var bytes: [UInt8]? {
        switch self {
        case .blob(let bytes): bytes
        case .text(let text): Array(text.utf8)
        case .optionalText(let text): text.map { Array($0.utf8) }
        case .integer: nil
        }
    }
}

extension ColumnReader {
    subscript<Value: ColumnValue>(_ column: Int) -> Value { Value.read(self, column) }
}

/// A type that a column is read as where the row is subscripted.
protocol ColumnValue {
    static func read(_ row: some ColumnReader, _ column: Int) -> Self
}

extension Int: ColumnValue {
    static func read(_ row: some ColumnReader, _ column: Int) -> Int { row.integer(column) }
}

extension Int64: ColumnValue {
    static func read(_ row: some ColumnReader, _ column: Int) -> Int64 { Int64(row.integer(column)) }
}

extension Bool: ColumnValue {
    static func read(_ row: some ColumnReader, _ column: Int) -> Bool { row.isTrue(column) }
}

extension String: ColumnValue {
    static func read(_ row: some ColumnReader, _ column: Int) -> String { row.text(column) }
}

extension Optional: ColumnValue where Wrapped: ColumnValue {
    static func read(_ row: some ColumnReader, _ column: Int) -> Wrapped? {
        row.isNull(column) ? nil : Wrapped.read(row, column)
    }
}
