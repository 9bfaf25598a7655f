/// The rows that a statement gave, in libpq's memory. Whatever is asked of a row or a column that is not there is NULL.
package final class PostgreSQLRows {
    private let result: ResultHandle
    private let columns: [ColumnType]
    package let count: Int

    /// - Throws: ``PostgreSQLError/unsupportedType(oid:)``, also for a number with a fraction or of more than 64 bits;
    ///   ``PostgreSQLError/malformedReply``
    init(_ result: ResultHandle) throws(PostgreSQLError) {
        self.result = result
        count = result.rowCount
        var columns: [ColumnType] = []
        for index in 0..<result.columnCount {
            guard let oid = result.columnType(index) else { throw .malformedReply }
            guard let type = ColumnType(oid: oid) else { throw .unsupportedType(oid: oid) }
            columns.append(type)
            guard !type.admitsAll else { continue }
            for row in 0..<count where !(result.withValue(row, index) { type.admits($0) } ?? true) {
                if case .numeric = type { throw .unsupportedType(oid: oid) }
                throw .malformedReply
            }
        }
        self.columns = columns
    }

    package var columnCount: Int { columns.count }

    package enum Kind: Sendable {
        case number, text, bytes
    }

    /// What the values of a column are; numbers where there is no such column.
    package func kind(_ column: Int) -> Kind { columns.indices.contains(column) ? columns[column].kind : .number }

    /// How many rows the statement inserted, updated, deleted or gave.
    package var changedCount: Int { result.changedRows }

    package func isNull(_ row: Int, _ column: Int) -> Bool { result.isNull(row, column) }

    /// A number, and 1 or 0 of a boolean; `nil` for NULL and for what is no number.
    package func integer(_ row: Int, _ column: Int) -> Int? {
        guard columns.indices.contains(column) else { return nil }
        return result.withValue(row, column) { columns[column].integer($0) }
    }

    /// A text; of any other type its bytes as UTF-8, where what is none is replaced. `nil` for NULL.
    package func text(_ row: Int, _ column: Int) -> String? {
        result.withValue(row, column) { bytes in
            unsafe bytes.withUnsafeBufferPointer { unsafe String(decoding: $0, as: UTF8.self) }
        }
    }

    /// A copy of a value's bytes, of whatever type it is; `nil` for NULL.
    package func bytes(_ row: Int, _ column: Int) -> [UInt8]? {
        result.withValue(row, column) { bytes in unsafe bytes.withUnsafeBufferPointer { unsafe Array($0) } }
    }

    /// Calls `body` with a value's bytes where they lie; not for NULL.
    package func withBytes<Result>(_ row: Int, _ column: Int, _ body: (Span<UInt8>) -> Result?) -> Result? {
        result.withValue(row, column, body)
    }
}
