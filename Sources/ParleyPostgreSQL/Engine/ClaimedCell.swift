import ParleyStore
import PostgreSQL
import Synchronization

/// The row of `cells` that stands for this process, for as long as nobody else takes it over.
///
/// Every transaction locks it and counts in it. So a process that was replaced while it stood still writes nothing any
/// more, and after a lost connection the count tells whether the last transaction was committed.
final class ClaimedCell: Sendable {
    let name: String
    let number: Int
    private let incarnation: [UInt8]
    private let commits = Mutex(0)

    /// Takes the cell of this name over, or makes it.
    ///
    /// - Parameter incarnation: 16 bytes that no process had before.
    init(_ name: CellName, incarnation: [UInt8], _ connection: PostgreSQLConnection) throws(PostgreSQLError) {
        self.name = name.text
        self.incarnation = incarnation
        let rows = try connection.query(
            """
            INSERT INTO cells (cell, name, incarnation, position, commits, lease_until, version, started_at)
            SELECT coalesce(max(cell), 0) + 1, $1, $2, 0, 0, 0, $3, \(ClaimedCell.now) FROM cells
            ON CONFLICT (name) DO UPDATE SET incarnation = excluded.incarnation, commits = 0,
                version = excluded.version, started_at = excluded.started_at
            RETURNING cell
            """,
            [.text(name.text), .bytes(incarnation), .integer(PostgreSQLMigrations.shipped.version)])
        number = rows.integer(0, 0) ?? 0
    }

    /// In milliseconds since 1970, by the clock of PostgreSQL.
    private static let now = "CAST(extract(epoch FROM clock_timestamp()) * 1000 AS BIGINT)"

    /// Locks the row until the transaction ends.
    var lock: OpenTransaction.Statement {
        (
            "SELECT commits FROM cells WHERE cell = $1 AND incarnation = $2 FOR NO KEY UPDATE",
            [.integer(number), .bytes(incarnation)]
        )
    }

    /// Whether the row is still this process's.
    func check(_ rows: PostgreSQLRows) throws(StoreError) {
        guard rows.count == 1 else { throw .superseded(cell: name) }
    }

    /// The count that the transaction under way leaves in the row, if it is committed.
    var nextCount: Int { commits.withLock { $0 + 1 } }

    func countStatement(_ count: Int) -> OpenTransaction.Statement {
        ("UPDATE cells SET commits = $1 WHERE cell = $2", [.integer(count), .integer(number)])
    }

    func recordCommit(_ count: Int) { commits.withLock { $0 = count } }

    /// Whether the transaction that would leave this count was committed. Waits for it, if it is still under way.
    func hasCommitted(_ count: Int, _ connection: PostgreSQLConnection) throws -> Bool {
        let rows = try connection.query(lock.statement, lock.values)
        try check(rows)
        return rows.integer(0, 0) == count
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
