import ParleyProtocol
import ParleyStore

/// The reports, the newest first (`admin/list-reports`).
extension ListReports: QueryHandler {
    func answer(in context: QueryContext) throws -> WrittenAnswer {
        return try context.page(page, of: Self.operation) { (position: ReportKey?, page) in
            try context.snapshot.reports.read(before: position, limit: page.limit + 1) { key, report in
                page.append(key, report.write)
            }
        }.write
    }
}
