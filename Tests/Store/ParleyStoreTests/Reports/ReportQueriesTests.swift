import ParleyProtocol
import ParleyRules
import TestNames
import TestedStores
import Testing

@testable import ParleyStore

@Suite("Stored reports", .onEveryStore)
final class ReportQueriesTests: PeopleSuite {
    private func report(_ reason: String, evidence: String? = nil) -> Report {
        Report(
            id: .random(), reporter: "alice", reason: reason, user: "bob", message: Array(#"{"seq":1}"#.utf8),
            evidence: evidence.map { Array($0.utf8) }, createdAt: at(7))
    }

    private func listed(before key: ReportKey? = nil, limit: Int = 10) throws -> [(key: ReportKey, report: Report)] {
        try store.read { snapshot in
            var found: [(ReportKey, Report)] = []
            try snapshot.reports.read(before: key, limit: limit) {
                found.append(($0, $1))
                return true
            }
            return found
        }
    }

    @Test("reports come back as they were kept, the newest first, page by page")
    func newestFirst() throws {
        let reports = [report("first"), report("second", evidence: "[1]"), report("third")]
        try store.write { transaction in
            for report in reports { try transaction.reports.insert(report, digest: report.id.value.bytes) }
        }
        #expect(try listed().map(\.report) == reports.reversed())
        let first = try listed(limit: 2)
        #expect(first.map(\.report) == [reports[2], reports[1]])
        #expect(try listed(before: first.last?.key).map(\.report) == [reports[0]])
    }

    @Test("a report is known by its id")
    func knownByID() throws {
        let report = report("once")
        try store.write { try $0.reports.insert(report, digest: report.id.value.bytes) }
        let identity = try #require(try store.read { try $0.reports.identity(of: report.id) })
        #expect(identity == (at(7), report.id.value.bytes))
        #expect(try store.read { try $0.reports.identity(of: .random()) } == nil)
    }
}
