import ParleyStore
import PostgreSQL
import Synchronization

/// The tables of pushes, which all cells write: on a connection of its own, since messages wait for nothing of pushes.
final class PushWriter: SharedPushes {
    private let cell: ClaimedCell
    private let sessions: SessionPool
    /// Called when this process must end; see `StoreError.endsProcess`.
    private let onEnd: @Sendable (StoreError) -> Void
    /// `nil` before the first transaction, and after one of which nobody knows whether it was committed: what it may
    /// have begun to send goes out when its lease is over.
    private let lease = Mutex<Int?>(nil)

    init(
        _ cell: ClaimedCell, _ settings: PostgreSQLSettings, onEnd: @escaping @Sendable (StoreError) -> Void
    ) {
        (self.cell, self.onEnd) = (cell, onEnd)
        sessions = SessionPool(settings, count: 1)
    }

    func write<Result>(_ body: (Database, PushLease) throws -> Result) throws -> Result {
        do {
            return try sessions.withSession { session in try transaction(session, body) }
        } catch {
            let failure = StoreError(anything: error)
            if failure.endsProcess { onEnd(failure) }
            throw failure
        }
    }

    private func transaction<Result>(
        _ session: Session, _ body: (Database, PushLease) throws -> Result
    ) throws -> Result {
        let connection = session.connection
        let (result, number): (Result, Int)
        do {
            // Each statement sees what was committed before it: nobody else writes these tables meanwhile.
            try connection.send("BEGIN ISOLATION LEVEL READ COMMITTED")
            number = try extendLease(connection)
            result = try body(database(session), PushLease(number: number))
            try connection.sync()
        } catch {
            session.rollBack()
            throw error
        }
        do throws(PostgreSQLError) {
            try connection.send("COMMIT")
            try connection.sync()
        } catch {
            if error.leavesOutcomeOpen { lease.withLock { $0 = nil } } else { session.rollBack() }
            throw error
        }
        lease.withLock { $0 = number }
        return result
    }

    /// Waits for its turn among the cells, ends leases that are over, and extends this process's, or makes it one.
    private func extendLease(_ connection: PostgreSQLConnection) throws -> Int {
        let own = lease.withLock { $0 }
        let time = PostgreSQLValue.integer(Int(PushLease.time.components.seconds) * 1000)
        let answers = try connection.query(all: [
            ("SELECT id FROM link WHERE id = 1 FOR NO KEY UPDATE", []),
            (
                "DELETE FROM push_leases WHERE until < \(ClaimedCell.now) AND id <> $1", [.integer(own ?? 0)]
            ),
            (
                "UPDATE push_leases SET until = \(ClaimedCell.now) + $1 WHERE id = $2 RETURNING id",
                [time, .integer(own ?? 0)]
            ),
        ])
        if let own, answers.last?.count == 1 { return own }
        let rows = try connection.query(
            """
            INSERT INTO push_leases (cell, until)
            SELECT cell, \(ClaimedCell.now) + $3 FROM cells WHERE cell = $1 AND incarnation = $2 RETURNING id
            """, cell.identity + [time])
        if let id = rows.integer(0, 0) { return id }
        let told = cell.toldBefore
        try cell.check(try connection.query(cell.end.statement, cell.end.values), told)
        throw StoreError.unavailable(message: "the row of the cell \(cell.name) is not there")
    }

    func read<Result>(_ body: (Database) throws -> Result) throws -> Result {
        try sessions.read(as: cell, body)
    }

    private func database(_ session: Session) -> Database {
        Database(OpenTransaction(session, cell, locksCell: false, told: cell.toldBefore), cell.stream, locksRows: false)
    }

    func close() { sessions.close() }
}
