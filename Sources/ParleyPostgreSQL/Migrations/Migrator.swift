import ParleyStore
import PostgreSQL

/// Brings the schema up to date. Of several programs that start at once, one does it and the others wait.
package struct Migrator {
    private let connection: PostgreSQLConnection
    private let server: String
    private let migrations: PostgreSQLMigrations

    /// - Parameter server: what an operator is told, without a password.
    package init(_ connection: PostgreSQLConnection, of server: String, _ migrations: PostgreSQLMigrations = .shipped) {
        (self.connection, self.server, self.migrations) = (connection, server, migrations)
    }

    /// - Parameter claim: what is done before another program can take away what it needs.
    /// - Throws: `.newerSchema` where a program of a later version has taken away what this one needs; `.unusable` for
    ///   another program's tables; `.unavailable` while a cell runs that would go without what it needs.
    package func run<Claim>(_ claim: () throws -> Claim = {}) throws -> Claim {
        // Of no meaning but that all programs of ours take the same.
        _ = try connection.query("SELECT pg_advisory_lock($1)", [.integer(Migrator.lock)])
        let claimed: Claim
        do {
            try migrate()
            claimed = try claim()
        } catch {
            _ = try? connection.query("SELECT pg_advisory_unlock($1)", [.integer(Migrator.lock)])
            throw error
        }
        _ = try connection.query("SELECT pg_advisory_unlock($1)", [.integer(Migrator.lock)])
        return claimed
    }

    private static let lock = 0x5061_726C_6579  // "Parley"

    private func migrate() throws {
        let found = try state()
        switch found {
        case .missing, .empty: break
        case .foreign:
            throw StoreError.unusable(
                path: server, message: "its schema \(PostgreSQLMigrations.schema) holds other tables than Parley's")
        case .ours(let version, let leastCompatible):
            // A later version's schema will do for as long as it still has what this one needs.
            guard leastCompatible <= migrations.version else { throw StoreError.newerSchema(path: server) }
            let steps = migrations.steps(after: version)
            if version >= Migrator.firstWithCells { try checkCells(before: steps) }
            for step in steps { try run(step) }
            return
        }
        for step in migrations.steps { try run(step, makesSchema: found == .missing && step.version == 1) }
    }

    /// Of the schema.
    private static let firstWithCells = Migration.c002.version

    /// Nothing is taken away from under a cell that runs: who upgrades is told which they have passed over.
    private func checkCells(before steps: [Migration]) throws {
        guard let least = steps.map(\.leastCompatible).max() else { return }
        let rows = try connection.query(
            """
            SELECT string_agg(c.name, ', ' ORDER BY c.name) FROM cells c JOIN cell_leases l ON l.cell = c.cell
            WHERE c.version < $1 AND l.until > \(ClaimedCell.now)
            """, [.integer(least)])
        guard let names = rows.text(0, 0) else { return }
        throw StoreError.unavailable(
            message: "cells run there of a version of Parley that does not know the tables of this one: \(names). "
                + "End them, or upgrade them to the version before this one first")
    }

    private enum SchemaState: Equatable {
        case missing
        case empty
        case foreign
        case ours(version: Int, leastCompatible: Int)
    }

    private func state() throws -> SchemaState {
        let schema = try connection.query(
            """
            SELECT (SELECT count(*) FROM pg_catalog.pg_class c WHERE c.relnamespace = n.oid),
                (SELECT count(*) FROM pg_catalog.pg_class c
                    WHERE c.relnamespace = n.oid AND c.relname = 'schema_version' AND c.relkind = 'r'),
                has_schema_privilege(n.oid, 'USAGE')
            FROM pg_catalog.pg_namespace n WHERE n.nspname = $1
            """, [.text(PostgreSQLMigrations.schema)])
        guard schema.count == 1 else { return .missing }
        // Without it nothing in the schema is found.
        guard schema.integer(0, 2) == 1 else {
            throw StoreError.unusable(
                path: server, message: "its user lacks a right: USAGE of the schema \(PostgreSQLMigrations.schema)")
        }
        guard schema.integer(0, 1) == 1 else { return schema.integer(0, 0) == 0 ? .empty : .foreign }
        let versions = try connection.query("SELECT max(version), max(least_compatible) FROM schema_version")
        guard let version = versions.integer(0, 0), let leastCompatible = versions.integer(0, 1) else {
            return .foreign
        }
        return .ours(version: version, leastCompatible: leastCompatible)
    }

    private func run(_ step: Migration, makesSchema: Bool = false) throws {
        let mark = """
            INSERT INTO schema_version (version, least_compatible, applied_at) VALUES (\(step.version), \
            \(step.leastCompatible), CAST(extract(epoch FROM clock_timestamp()) * 1000 AS BIGINT))
            """
        let statements =
            Migrator.limits + (makesSchema ? [PostgreSQLMigrations.creation] : []) + step.statements
            + (step.version > Migrator.firstWithCells ? [Migrator.fence(below: step.leastCompatible)] : []) + [mark]
        // A script without BEGIN is one transaction.
        try connection.execute(statements.joined(separator: ";\n"))
    }

    /// A large table takes its time. And while a step waits for a table, all others wait behind it: it gives up before
    /// they do, and is tried again.
    private static let limits = ["SET LOCAL statement_timeout TO 0", "SET LOCAL lock_timeout TO '2s'"]

    /// A cell that stood still, and does not know of the step, writes nothing any more: its row is not its own. No
    /// process has such an incarnation.
    private static func fence(below version: Int) -> String {
        "UPDATE cells SET incarnation = decode(repeat('ff', 16), 'hex') WHERE version < \(version)"
    }
}
