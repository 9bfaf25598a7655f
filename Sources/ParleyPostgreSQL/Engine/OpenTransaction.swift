import ParleyStore
import PostgreSQL

/// The store's side of a transaction under way.
final class OpenTransaction: RemoteConnection {
    typealias Statement = (statement: String, values: [PostgreSQLValue])

    private let session: Session
    /// What comes before the first query, in the same round trip, and what its rows are to be.
    private var opening: (statement: Statement, check: (PostgreSQLRows) throws(StoreError) -> Void)?

    /// How far the cell's stream goes with the transaction.
    private(set) var streamEnd: StreamPosition?
    private(set) var audienceEnd: StreamPosition?

    /// - Parameter opening: a query, and what throws if its rows are not as they must be.
    init(
        _ session: Session, opening: (statement: Statement, check: (PostgreSQLRows) throws(StoreError) -> Void)? = nil
    ) {
        (self.session, self.opening) = (session, opening)
    }

    func send(_ sql: String, _ values: [BoundValue]) throws(StoreError) {
        let (statement, values) = translated(sql, values)
        do throws(PostgreSQLError) { try session.connection.send(statement, values) } catch { throw StoreError(error) }
    }

    func change(_ sql: String, _ values: [BoundValue]) throws(StoreError) -> Int {
        try query(translated(sql, values)).changedCount
    }

    func rows(_ sql: String, _ values: [BoundValue]) throws(StoreError) -> any RemoteRows {
        QueryRows(try query(translated(sql, values)))
    }

    func insertAudienceChanges(_ changes: [(position: StreamPosition, change: [UInt8])]) throws(StoreError) {
        for (position, change) in changes {
            try send(
                "INSERT INTO audience_changes (position, change) VALUES (?, ?)",
                [.integer(position.number), .blob(change)])
        }
    }

    func setStreamEnd(_ position: StreamPosition, audience: StreamPosition?) {
        streamEnd = max(streamEnd ?? position, position)
        guard let audience else { return }
        audienceEnd = max(audienceEnd ?? audience, audience)
    }

    /// Runs the opening, if no query has yet.
    func finishOpening() throws(StoreError) {
        guard let opening = opening.take() else { return }
        try opening.check(try query(opening.statement))
    }

    private func query(_ statement: Statement) throws(StoreError) -> PostgreSQLRows {
        guard let opening = opening.take() else { return try run([statement])[0] }
        let all = try run([opening.statement, statement])
        try opening.check(all[0])
        return all[1]
    }

    private func run(_ statements: [Statement]) throws(StoreError) -> [PostgreSQLRows] {
        do throws(PostgreSQLError) { return try session.connection.query(all: statements) } catch {
            throw StoreError(error)
        }
    }

    private func translated(_ sql: String, _ values: [BoundValue]) -> Statement {
        (session.texts.text(sql), values.map(PostgreSQLValue.init))
    }
}

/// The rows of a query, the current one of which is read.
private final class QueryRows: RemoteRows {
    private let rows: PostgreSQLRows
    private var current = -1

    init(_ rows: PostgreSQLRows) { self.rows = rows }

    func next() -> Bool {
        current += 1
        return current < rows.count
    }

    func isNull(_ column: Int) -> Bool { rows.isNull(current, column) }

    func integer(_ column: Int) -> Int { rows.integer(current, column) ?? 0 }

    func text(_ column: Int) -> String { rows.text(current, column) ?? "" }

    func bytes(_ column: Int) -> [UInt8]? { rows.bytes(current, column) }

    func withBytes<Result>(_ column: Int, _ body: (Span<UInt8>) -> Result?) -> Result? {
        isNull(column) ? body(Span()) : rows.withBytes(current, column, body)
    }

    func value(_ column: Int) -> BoundValue {
        switch rows.kind(column) {
        case .number: .integer(rows.integer(current, column))
        case .text: .optionalText(rows.text(current, column))
        case .bytes: .blob(rows.bytes(current, column))
        }
    }
}

extension PostgreSQLValue {
    init(_ value: BoundValue) {
        switch value {
        case .integer(let integer): self = integer.map { .integer($0) } ?? .null
        case .text(let text): self = .text(text)
        case .optionalText(let text): self = text.map { .text($0) } ?? .null
        case .blob(let bytes): self = bytes.map { .bytes($0) } ?? .null
        }
    }
}
