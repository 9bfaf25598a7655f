import ParleyStore
import PostgreSQL

/// Whether a commit must survive a crash of the server.
package enum DurabilityDemand: Sendable {
    case demanded
    /// For tests.
    case waived
}

/// Whether a server will do.
enum ServerCheck {
    /// PostgreSQL 15.
    private static let leastVersion = 15_00_00

    /// - Parameter version: as 15_00_04 for 15.4.
    static func check(version: Int) throws(StoreError) {
        guard version < leastVersion else { return }
        throw .unusable(
            path: "the PostgreSQL server",
            message: "it is of version \(version / 10_000); 15 is the oldest that will do")
    }

    static func run(_ connection: PostgreSQLConnection, _ demand: DurabilityDemand) throws {
        try check(version: connection.serverVersion)
        let rows = try connection.query(
            "SELECT pg_is_in_recovery(), current_setting('fsync'), current_setting('full_page_writes')")
        guard rows.integer(0, 0) == 0 else {
            throw StoreError.unavailable(message: "the server is a standby, which takes no writes")
        }
        guard demand == .demanded else { return }
        for (column, name) in [(1, "fsync"), (2, "full_page_writes")] where rows.text(0, column) != "on" {
            throw StoreError.notDurable(setting: "\(name) is \(rows.text(0, column) ?? "unknown")")
        }
    }
}
