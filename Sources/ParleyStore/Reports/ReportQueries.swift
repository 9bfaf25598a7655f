import Foundation
import GRDB
import ParleyProtocol
import ParleyRules

/// The place of a report in the order in which reports were made.
package struct ReportKey: Hashable, Sendable {
    package let value: Int64

    package init(value: Int64) { self.value = value }
}

/// Reports that users have made.
package struct ReportQueries {
    let database: Database

    /// The report that has this id, whoever made it.
    package func identity(of id: ReportID) throws(StoreError) -> CreateReportRule.ExistingReport? {
        let row = try database.row("SELECT created_at, digest FROM reports WHERE id = ?", [id.blob])
        guard let row else { return nil }
        return CreateReportRule.ExistingReport(createdAt: row.time(0), digest: row.bytes(1) ?? [])
    }

    /// Reports that were made before `key`, the newest first, until `body` says `false`.
    package func read(before key: ReportKey?, limit: Int, _ body: (ReportKey, Report) throws -> Bool) throws {
        let rows = try database.rows(
            """
            SELECT key, id, reporter, reason, "user", message, evidence, created_at FROM reports WHERE key < ?
            ORDER BY key DESC LIMIT ?
            """, [key?.value ?? .max, limit])
        while let row = try rows.next() {
            let report = Report(
                id: try row.uuid(1), reporter: try row.level(2), reason: row[3], user: try row.level(4),
                message: row.bytes(5), evidence: row.bytes(6), createdAt: row.time(7))
            guard try body(ReportKey(value: row[0]), report) else { return }
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
                report.id.blob, report.reporter.text, report.reason, report.user.text, report.message.map { Data($0) },
                report.evidence.map { Data($0) }, report.createdAt.milliseconds, Data(digest),
            ])
    }
}
