import ParleyProtocol

package struct ReportQueries {
    let database: Database

    /// When the report with this id was made, whoever made it, and the digest of the request.
    package func identity(of id: ReportID) throws(StoreError) -> (createdAt: Timestamp, digest: [UInt8])? {
        try database.first("SELECT created_at, digest FROM reports WHERE id = ?", [id.blob]) {
            ($0.time(0), $0.bytes(1) ?? [])
        }
    }

    /// Reports before `key`, the newest first, until `body` returns `false`.
    package func read(before key: ReportKey?, limit: Int, _ body: (ReportKey, Report) throws -> Bool) throws {
        try database.read(
            """
            SELECT key, id, reporter, reason, "user", message, evidence, created_at FROM reports WHERE key < ?
            ORDER BY key DESC LIMIT ?
            """, [key?.value ?? .max, limit]
        ) { row in
            try body(
                row.key(0),
                Report(
                    id: try row.uuid(1), reporter: try row.level(2), reason: row[3], user: try row.level(4),
                    message: row.bytes(5), evidence: row.bytes(6), createdAt: row.time(7)))
        }
    }
}

/// Writes reports that users make.
package struct ReportWrites {
    let database: Database

    package func insert(_ report: Report, digest: [UInt8]) throws(StoreError) {
        try database.run(
            """
            INSERT INTO reports (id, reporter, reason, "user", message, evidence, created_at, digest)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [
                report.id.blob, report.reporter.text, report.reason, report.user.text, report.message,
                report.evidence, report.createdAt.milliseconds, digest,
            ])
    }
}
