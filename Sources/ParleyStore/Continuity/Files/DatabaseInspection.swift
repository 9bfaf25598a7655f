import ParleyProtocol

/// What a look at a database file has found. Nothing is written to it.
package struct DatabaseInspection: Sendable {
    /// The last step of the schema.
    package let schema: String
    /// Whether this version has later steps, which the next start takes.
    package let isOlder: Bool
    /// What SQLite's check says; empty where all is well.
    package let faults: [String]
    /// The time of the last record, or of the clock's last step; `nil` where there is none.
    package let lastTime: Timestamp?

    /// Which of a gateway's databases it is.
    package enum Kind: Sendable {
        case main, pushes

        fileprivate var steps: [String] {
            switch self {
            case .main: Migrations.steps.map(\.name)
            case .pushes: Migrations.pushSteps.map(\.name)
            }
        }
    }

    /// - Parameters:
    ///   - isLive: a gateway runs on it.
    ///   - isThorough: checks also that each index has each row, which takes long.
    /// - Throws: `.unusable`, `.newerSchema`.
    package init(of path: String, _ kind: Kind, isLive: Bool, hasLog: Bool, isThorough: Bool) throws(StoreError) {
        let probe = try SQLiteProbe(path, isImmutable: !isLive && !hasLog)
        let applied: [String]
        guard try !probe.texts("SELECT name FROM sqlite_schema WHERE name = 'grdb_migrations'").isEmpty else {
            throw .unusable(path: path, message: "it holds other tables than Parley's")
        }
        applied = try probe.texts("SELECT identifier FROM grdb_migrations ORDER BY identifier")
        guard Set(applied).isSubset(of: kind.steps) else { throw .newerSchema(path: path) }
        schema = applied.last ?? "none"
        isOlder = applied.count < kind.steps.count
        faults = try probe.texts("PRAGMA \(isThorough ? "integrity_check" : "quick_check")(8)").filter { $0 != "ok" }
        guard case .main = kind, !isOlder else {
            lastTime = nil
            return
        }
        let times = try probe.texts(
            """
            SELECT max(t) FROM (SELECT max(stepped_at) AS t FROM clock
                UNION ALL SELECT created_at FROM (SELECT created_at FROM records ORDER BY position DESC LIMIT 1))
            """)
        lastTime = times.first.flatMap { Int64($0) }.flatMap { $0 > 0 ? Timestamp(milliseconds: $0) : nil }
    }
}

extension Snapshot {
    /// The last step of the schema; `nil` of a database on a server, which has steps of its own.
    package func schema() throws(StoreError) -> String? {
        guard case .sqlite = database.engine else { return nil }
        return try database.row("SELECT max(identifier) FROM grdb_migrations")?[0]
    }
}
