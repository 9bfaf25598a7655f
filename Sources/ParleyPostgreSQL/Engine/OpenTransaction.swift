import ParleyStore
import PostgreSQL

/// The store's side of a transaction under way.
final class OpenTransaction: RemoteConnection {
    typealias Statement = (statement: String, values: [PostgreSQLValue])

    private let session: Session
    private let cell: ClaimedCell
    /// Whether the row of the cell is still to be locked: before the first query, in the same round trip.
    private var isToLock: Bool
    /// The rows of queries that are asked for next, the last one first; until something is written.
    private var prefetched: [(query: RemoteQuery, rows: PostgreSQLRows)] = []
    /// As the row of the cell has it.
    private var storedEnd: StreamPosition?
    private let told: ClaimedCell.Told

    /// How far the cell's stream goes with the transaction.
    private(set) var streamEnd: StreamPosition?
    private(set) var audienceEnd: StreamPosition?

    /// - Parameters:
    ///   - locksCell: whether it writes.
    ///   - told: from before its snapshot.
    init(_ session: Session, _ cell: ClaimedCell, locksCell: Bool, told: ClaimedCell.Told) {
        (self.session, self.cell, isToLock, self.told) = (session, cell, locksCell, told)
    }

    func send(_ sql: String, _ values: [BoundValue]) throws(StoreError) {
        prefetched = []
        let (statement, values) = translated(sql, values)
        do throws(PostgreSQLError) { try session.connection.send(statement, values) } catch { throw StoreError(error) }
    }

    func change(_ sql: String, _ values: [BoundValue]) throws(StoreError) -> Int {
        prefetched = []
        return try query(translated(sql, values)).changedCount
    }

    /// Of no meaning but that all programs of ours take the same; the second number is the work's.
    private static let workLock = 0x5061_726C  // "Parl"

    func claim(_ work: SharedWork) throws(StoreError) -> Bool {
        prefetched = []
        let rows = try query(
            (
                "SELECT pg_try_advisory_xact_lock(CAST($1 AS INTEGER), CAST($2 AS INTEGER))",
                [.integer(OpenTransaction.workLock), .integer(work.rawValue)]
            ))
        return rows.integer(0, 0) == 1
    }

    func prefetch(_ queries: [RemoteQuery]) throws(StoreError) {
        guard queries.count > 1 else { return }
        var statements = queries.map { translated($0.sql, $0.values) }
        let locks = isToLock
        if locks { statements.insert(cell.lock, at: 0) }
        isToLock = false
        var rows = try run(statements)
        if locks { _ = try readEnd(rows.removeFirst()) }
        prefetched = Array(zip(queries, rows).reversed())
    }

    func rows(_ sql: String, _ values: [BoundValue]) throws(StoreError) -> any RemoteRows {
        // One that depends on the rows of others was not foreseen, and is asked in between.
        if let (query, rows) = prefetched.last, query.sql == sql, query.values == values {
            prefetched.removeLast()
            return QueryRows(rows)
        }
        return QueryRows(try query(translated(sql, values)))
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

    func lastPosition() throws(StoreError) -> StreamPosition {
        try lockCell()
        let stored = if let storedEnd { storedEnd } else { try readEnd(try run([cell.end])[0]) }
        return max(stored, streamEnd ?? stored, cell.stream.start)
    }

    /// Locks the row of the cell, if no query has yet.
    func lockCell() throws(StoreError) {
        guard isToLock else { return }
        isToLock = false
        _ = try readEnd(try run([cell.lock])[0])
    }

    private func readEnd(_ rows: PostgreSQLRows) throws(StoreError) -> StreamPosition {
        try cell.check(rows, told)
        let end = StreamPosition(number: rows.integer(0, 0) ?? 0)
        storedEnd = end
        return end
    }

    private func query(_ statement: Statement) throws(StoreError) -> PostgreSQLRows {
        guard isToLock else { return try run([statement])[0] }
        isToLock = false
        let all = try run([cell.lock, statement])
        _ = try readEnd(all[0])
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
