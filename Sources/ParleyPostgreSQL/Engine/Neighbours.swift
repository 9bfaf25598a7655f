import ParleyProtocol
import ParleyStore
import Platform
import PostgreSQL
import Synchronization

/// The other cells on the database: their streams, marks and leases, and the doorbell by which they call.
final class Neighbours: Cells {
    /// Where a cell says that it has committed something. Whoever misses it finds it at the next look. Channels belong
    /// to a database and not to a schema, so it has the schema's name.
    static let channel = PostgreSQLMigrations.schema

    let leaseTime = Duration.seconds(3)
    /// How long what a cell has not read is kept for it when its lease is over.
    private static let absence = Duration.seconds(600)

    let cell: ClaimedCell
    /// For what belongs to no transaction of the writer.
    private let sessions: SessionPool
    /// For the lease and what goes with it alone, which waits for nothing else.
    let leaseSessions: SessionPool
    private let listener: Listener
    /// Called when this process must end; see `StoreError.endsProcess`.
    private let onEnd: @Sendable (StoreError) -> Void
    private let state = Mutex(State())

    private struct State {
        var dependencies = StreamVector()
        /// Until the first look says otherwise.
        var (hasNeighbours, hasOthers) = (true, true)
        var signals: [CellSignal] = []
    }

    init(
        _ cell: ClaimedCell, _ settings: PostgreSQLSettings, onEnd: @escaping @Sendable (StoreError) -> Void
    ) throws {
        self.cell = cell
        self.onEnd = onEnd
        sessions = SessionPool(settings, count: 1)
        leaseSessions = SessionPool(settings, count: 1)
        listener = try Listener(settings)
    }

    var own: Int { cell.number }

    var name: String { cell.name }

    var time: Timestamp { cell.clock.now }

    var dependencies: StreamVector { state.withLock { $0.dependencies } }

    var hasNeighbours: Bool { state.withLock { $0.hasNeighbours } }

    var hasOthers: Bool { state.withLock { $0.hasOthers } }

    /// The rows of `ClaimedCell.dependencies`.
    func record(_ rows: PostgreSQLRows) {
        let positions = (0..<rows.count).compactMap { rows.integer($0, 0).map(StreamPosition.init(number:)) }
        state.withLock { $0.dependencies = StreamVector(positions) }
    }

    func states(in snapshot: Snapshot) throws(StoreError) -> [CellState] {
        let rows = try snapshot.remoteRows(
            """
            SELECT c.cell, c.name, c.position, c.audience_position, l.until > \(ClaimedCell.now),
                l.until > \(ClaimedCell.now) - \(Neighbours.absence.inMilliseconds), m.position, m.audience_position
            FROM cells c JOIN cell_leases l ON l.cell = c.cell
            LEFT JOIN cell_marks m ON m.reader = c.cell AND m.writer = ?
            ORDER BY c.cell
            """, [.integer(cell.number)])
        var states: [CellState] = []
        while rows.next() {
            let number = rows.integer(0)
            let mark =
                rows.isNull(6)
                ? nil
                : CellMark(
                    writer: cell.number, position: StreamPosition(number: rows.integer(6)),
                    audience: StreamPosition(number: rows.integer(7)))
            states.append(
                CellState(
                    number: number, name: rows.text(1), position: StreamPosition(number: rows.integer(2)),
                    audience: StreamPosition(number: rows.integer(3)), isLive: rows.integer(4) != 0,
                    wasLiveLately: rows.integer(5) != 0, mark: mark))
        }
        let others = states.filter { $0.number != cell.number }
        state.withLock { ($0.hasNeighbours, $0.hasOthers) = (others.contains(where: \.isLive), !others.isEmpty) }
        return states
    }

    func audienceChanges(
        in snapshot: Snapshot, after position: StreamPosition
    ) throws(StoreError) -> [(position: StreamPosition, change: [UInt8])] {
        let rows = try snapshot.remoteRows(
            "SELECT position, change FROM audience_changes WHERE position > ? AND position < ? ORDER BY position",
            [.integer(position.number), .integer(Stream(cell: position.cell + 1).start.number)])
        var changes: [(position: StreamPosition, change: [UInt8])] = []
        while rows.next() { changes.append((StreamPosition(number: rows.integer(0)), rows.bytes(1) ?? [])) }
        return changes
    }

    func removeAudienceChanges(through position: StreamPosition) throws(StoreError) {
        try withConnection { connection in
            _ = try connection.query(
                """
                DELETE FROM audience_changes WHERE position > $1 AND position <= $2
                    AND EXISTS (SELECT 1 FROM cells WHERE cell = $3 AND incarnation = $4)
                """,
                [.integer(cell.stream.start.number), .integer(position.number)] + cell.identity)
        }
    }

    func ownMarks(in snapshot: Snapshot) throws(StoreError) -> [CellMark] {
        let rows = try snapshot.remoteRows(
            "SELECT writer, position, audience_position FROM cell_marks WHERE reader = ?", [.integer(cell.number)])
        var marks: [CellMark] = []
        while rows.next() {
            marks.append(
                CellMark(
                    writer: rows.integer(0), position: StreamPosition(number: rows.integer(1)),
                    audience: StreamPosition(number: rows.integer(2))))
        }
        return marks
    }

    func save(_ marks: [CellMark], tells: Bool) throws(StoreError) {
        guard !marks.isEmpty else { return }
        try withConnection { connection in
            for mark in marks {
                try connection.send(
                    """
                    INSERT INTO cell_marks (reader, writer, position, audience_position)
                    SELECT cell, $3, $4, $5 FROM cells WHERE cell = $1 AND incarnation = $2
                    ON CONFLICT (reader, writer) DO UPDATE SET position = excluded.position,
                        audience_position = excluded.audience_position
                    """,
                    cell.identity + [
                        .integer(mark.writer), .integer(mark.position.number), .integer(mark.audience.number),
                    ])
            }
            if tells {
                try connection.send("SELECT pg_notify('\(Neighbours.channel)', $1)", [.text("\(cell.number)")])
            }
            try connection.sync()
        }
    }

    func extendLease() throws(StoreError) -> LeaseExtension {
        try withConnection(leaseSessions) { try cell.extendLease(by: leaseTime, absence: Neighbours.absence, $0) }
    }

    /// The most signals that wait: more than that are late in any case.
    private static let mostSignals = 1000
    /// PostgreSQL refuses longer ones.
    private static let longestPayload = 7999

    func signal(_ signal: CellSignal) {
        state.withLock { if $0.hasNeighbours, $0.signals.count < Neighbours.mostSignals { $0.signals.append(signal) } }
        wake()
    }

    func sendSignals() throws(StoreError) {
        let signals = state.withLock { state in
            defer { state.signals = [] }
            return state.signals
        }
        guard !signals.isEmpty else { return }
        try withConnection { connection in
            for signal in signals {
                let text = "\(own)\n\(signal.topic)\n\(signal.payload)"
                guard text.utf8.count <= Neighbours.longestPayload else { continue }
                try connection.send("SELECT pg_notify('\(Neighbours.channel)', $1)", [.text(text)])
            }
            try connection.sync()
        }
    }

    func wait(for time: Duration) throws(StoreError) -> [CellSignal] {
        do {
            return try listener.wait(for: time, ignoring: "\(own)").compactMap { payload in
                let parts = payload.split(separator: "\n", maxSplits: 2).map(String.init)
                guard parts.count == 3, parts[0] != "\(own)" else { return nil }
                return CellSignal(topic: parts[1], payload: parts[2])
            }
        } catch { throw StoreError(anything: error) }
    }

    func wake() { listener.wake() }

    func close() {
        sessions.close()
        leaseSessions.close()
    }

    func withConnection<Result>(
        _ pool: SessionPool? = nil, _ body: (PostgreSQLConnection) throws -> Result
    ) throws(StoreError) -> Result {
        do {
            return try (pool ?? sessions).withSession { session in
                do { return try body(session.connection) } catch {
                    session.rollBack()
                    throw error
                }
            }
        } catch {
            let failure = StoreError(anything: error)
            if failure.endsProcess { onEnd(failure) }
            throw failure
        }
    }
}
