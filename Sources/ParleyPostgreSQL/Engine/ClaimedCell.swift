import ParleyProtocol
import ParleyStore
import Platform
import PostgreSQL
import Synchronization

/// The row of `cells` that stands for this process, for as long as nobody else takes it over.
///
/// Every transaction locks it and counts in it. So a process that was replaced while it stood still writes nothing any
/// more, and after a lost connection the count tells whether the last transaction was committed.
final class ClaimedCell: Sendable {
    typealias Statement = OpenTransaction.Statement

    let name: String
    let number: Int
    let clock: ServerClock
    private let incarnation: [UInt8]
    /// That of the process whose cell this was before; `nil` if there was none.
    private let previous: [UInt8]?
    private let told = Mutex(Told())

    /// What the server has told this process to be committed. Its row is never behind that, unless the database is.
    struct Told {
        var commits = 0
        var position = StreamPosition.start
    }

    var stream: Stream { Stream(cell: number) }

    /// Takes the cell of this name over, or makes it.
    ///
    /// - Parameter incarnation: 16 bytes that no process had before.
    init(_ name: CellName, incarnation: [UInt8], _ connection: PostgreSQLConnection) throws(PostgreSQLError) {
        self.name = name.text
        self.incarnation = incarnation
        previous = try connection.query("SELECT incarnation FROM cells WHERE name = $1", [.text(name.text)]).bytes(0, 0)
        let rows = try connection.query(
            """
            INSERT INTO cells (
                cell, name, incarnation, commits, position, audience_position, version, started_at)
            SELECT coalesce(max(cell), 0) + 1, $1, $2, 0, 0, 0, $3, \(ClaimedCell.now) FROM cells
            ON CONFLICT (name) DO UPDATE SET incarnation = excluded.incarnation, commits = 0,
                version = excluded.version, started_at = excluded.started_at
            RETURNING cell
            """,
            [.text(name.text), .bytes(incarnation), .integer(PostgreSQLMigrations.shipped.version)])
        number = rows.integer(0, 0) ?? 0
        let begin = SystemClock.sinceBoot.milliseconds
        clock = ServerClock(
            try connection.query("SELECT \(ClaimedCell.now)").integer(0, 0) ?? 0, asked: begin)
        for statement in [
            "INSERT INTO publishing (id, published_through) VALUES ($1, 0) ON CONFLICT (id) DO NOTHING",
            "INSERT INTO clock (id, steps, stepped_at, position) VALUES ($1, 0, 0, 0) ON CONFLICT (id) DO NOTHING",
            "INSERT INTO cell_leases (cell, until) VALUES ($1, 0) ON CONFLICT (cell) DO NOTHING",
            "INSERT INTO push_link (id, plan) VALUES ($1, 0) ON CONFLICT (id) DO NOTHING",
        ] { _ = try connection.query(statement, [.integer(number)]) }
    }

    /// In milliseconds since 1970, by the clock of PostgreSQL.
    static let now = "CAST(extract(epoch FROM clock_timestamp()) * 1000 AS BIGINT)"

    /// Its number and incarnation: a row of `cells` has both for as long as nobody else has taken it over.
    var identity: [PostgreSQLValue] { [.integer(number), .bytes(incarnation)] }

    /// The last position of its stream.
    var end: Statement { (ClaimedCell.row, [.integer(number)]) }

    /// The same, and locks the row until the transaction ends.
    var lock: Statement {
        ("\(ClaimedCell.row) FOR NO KEY UPDATE", [.integer(number)])
    }

    private static let row = "SELECT position, commits, incarnation FROM cells WHERE cell = $1"

    /// In the place of an incarnation: the process must begin again.
    static let ended = [UInt8](repeating: 0, count: 16)

    /// What the row must not be behind, if it is read later than this.
    var toldBefore: Told { told.withLock { $0 } }

    /// Whether the row is still this process's, and not behind what was told.
    func check(_ rows: PostgreSQLRows, _ told: Told) throws(StoreError) {
        guard let found = rows.bytes(0, 2), let commits = rows.integer(0, 1) else {
            throw .lostCommits(message: "the cell \(name) is unknown")
        }
        guard found == incarnation else {
            switch found {
            case ClaimedCell.ended: throw .eraEnded
            case previous: throw .lostCommits(message: "the cell \(name) has not started")
            default: throw .superseded(cell: name)
            }
        }
        guard commits >= told.commits else {
            throw .lostCommits(message: "\(commits) of \(told.commits) transactions of the cell \(name) are there")
        }
    }

    /// The count that the transaction under way leaves in the row, if it is committed.
    var nextCount: Int { told.withLock { $0.commits + 1 } }

    /// What a transaction ends with. The last gives, of each cell, the last position that changes an audience. It comes
    /// behind the COMMIT, so it sees all that the transaction has read, and is nothing that it depends on itself.
    func lastStatements(_ count: Int, _ transaction: OpenTransaction, ringsDoorbell: Bool) -> [Statement] {
        let update: Statement = (
            """
            UPDATE cells SET commits = $1, position = greatest(position, $2),
                audience_position = greatest(audience_position, $3) WHERE cell = $4
            """,
            [
                .integer(count), .integer(transaction.streamEnd?.number ?? 0),
                .integer(transaction.audienceEnd?.number ?? 0), .integer(number),
            ]
        )
        let doorbell: [Statement] =
            ringsDoorbell && transaction.streamEnd != nil
            ? [("SELECT pg_notify('\(Neighbours.channel)', $1)", [.text("\(number)")])] : []
        return [update] + doorbell + [
            ("COMMIT", []), ClaimedCell.dependencies,
        ]
    }

    private static let dependencies: Statement = (
        "SELECT audience_position FROM cells WHERE audience_position > 0", []
    )

    func recordCommit(_ count: Int, through end: StreamPosition?) {
        told.withLock { told in
            told.commits = count
            told.position = max(told.position, end ?? told.position)
        }
    }

    /// Whether the transaction that would leave this count was committed. Waits for it, if it is still under way.
    ///
    /// - Returns: the rows that its last statement would have given; `nil` if it was not.
    func outcome(of count: Int, _ connection: PostgreSQLConnection) throws -> PostgreSQLRows? {
        let told = toldBefore
        let rows = try connection.query(all: [lock, ClaimedCell.dependencies])
        try check(rows[0], told)
        return rows[0].integer(0, 1) == count ? rows[1] : nil
    }

    /// Extends the lease from the server's time on.
    ///
    /// - Parameter absence: after so long the others have forgotten this cell.
    func extendLease(
        by time: Duration, absence: Duration, _ connection: PostgreSQLConnection
    ) throws -> LeaseExtension {
        let milliseconds = Int(time.components.seconds * 1000)
        let begin = SystemClock.sinceBoot.milliseconds
        let rows = try connection.query(
            """
            WITH before AS (SELECT cell, \(ClaimedCell.now) - until AS over FROM cell_leases WHERE cell = $2)
            UPDATE cell_leases SET until = \(ClaimedCell.now) + $1 FROM before
            WHERE cell_leases.cell = before.cell
                AND EXISTS (SELECT 1 FROM cells WHERE cell = $2 AND incarnation = $3)
            RETURNING before.over, cell_leases.until
            """, [.integer(milliseconds), .integer(number), .bytes(incarnation)])
        if let over = rows.integer(0, 0), let until = rows.integer(0, 1) {
            clock.set(until - milliseconds, asked: begin)
            return LeaseExtension(
                wasOver: over > 0, wasForgotten: over > absence.inMilliseconds,
                serverTime: Timestamp(milliseconds: Int64(until - milliseconds)))
        }
        let told = toldBefore
        try check(try connection.query(end.statement, end.values), told)
        throw StoreError.unavailable(message: "the lease of the cell \(name) is not there")
    }
}

/// The name of a cell: 1 to 64 letters, digits, `-`, `_` and `.`.
package struct CellName: Hashable, Sendable, CustomStringConvertible {
    package let text: String

    package init?(_ text: String) {
        guard (1...64).contains(text.utf8.count), text.utf8.allSatisfy(CellName.isAllowed) else { return nil }
        self.text = text
    }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."):
            true
        default: false
        }
    }

    package var description: String { text }
}
