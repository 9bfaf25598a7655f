import Foundation
import GRDB
import ParleyProtocol

// Columns hold UUIDs as 16 bytes, times as milliseconds, epochs as text. A damaged file can hold anything in any
// column, `STRICT` or not, and GRDB's own accessors trap on another type: these throw.

extension UUIDIdentifier {
    var blob: Data { Data(value.bytes) }
}

extension Row {
    func integer(_ index: Int) throws(DamagedRowError) -> Int {
        guard let value = try optionalInteger(index) else { throw DamagedRowError() }
        return value
    }

    func optionalInteger(_ index: Int) throws(DamagedRowError) -> Int? {
        switch storage(index) {
        case .int64(let value): return Int(value)
        case .null: return nil
        case .double, .string, .blob: throw DamagedRowError()
        }
    }

    func text(_ index: Int) throws(DamagedRowError) -> String {
        guard case .string(let text) = storage(index) else { throw DamagedRowError() }
        return text
    }

    func bytes(_ index: Int) throws(DamagedRowError) -> [UInt8] {
        guard let bytes = try optionalBytes(index) else { throw DamagedRowError() }
        return bytes
    }

    func optionalBytes(_ index: Int) throws(DamagedRowError) -> [UInt8]? {
        switch storage(index) {
        case .blob(let data): return Array(data)
        case .null: return nil
        case .int64, .double, .string: throw DamagedRowError()
        }
    }

    func uuid<ID: UUIDIdentifier>(_ index: Int) throws(DamagedRowError) -> ID {
        guard let id = ID(bytes: try bytes(index)) else { throw DamagedRowError() }
        return id
    }

    func optionalUUID<ID: UUIDIdentifier>(_ index: Int) throws(DamagedRowError) -> ID? {
        guard let bytes = try optionalBytes(index) else { return nil }
        guard let id = ID(bytes: bytes) else { throw DamagedRowError() }
        return id
    }

    func optionalTime(_ index: Int) throws(DamagedRowError) -> Timestamp? {
        try optionalInteger(index).map { Timestamp(milliseconds: Int64($0)) }
    }

    private func storage(_ index: Int) -> DatabaseValue.Storage { (self[index] as DatabaseValue).storage }
}

extension Database {
    /// Runs a statement without rows; prepared once.
    func run(_ sql: String, _ arguments: StatementArguments = []) throws {
        let statement = try cachedStatement(sql: sql)
        try statement.execute(arguments: arguments)
    }

    /// The rows of a query; prepared once.
    func rows(_ sql: String, _ arguments: StatementArguments = []) throws -> RowCursor {
        let statement = try cachedStatement(sql: sql)
        return try Row.fetchCursor(statement, arguments: arguments)
    }

    /// The first row of a query, copied.
    func row(_ sql: String, _ arguments: StatementArguments = []) throws -> Row? {
        try Row.fetchOne(try cachedStatement(sql: sql), arguments: arguments)
    }

    func map<Value>(
        _ sql: String, _ arguments: StatementArguments = [], _ transform: (Row) throws -> Value
    ) throws -> [Value] {
        let cursor = try rows(sql, arguments)
        var values: [Value] = []
        while let row = try cursor.next() { values.append(try transform(row)) }
        return values
    }
}
