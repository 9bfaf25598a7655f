import ParleyProtocol
import ParleyStore

/// A page of the reports, the newest first (`admin/list-reports`).
struct ReportPage {
    private let items: [[UInt8]]
    /// The place of the last item, if more follow.
    private let next: ReportKey?

    static func read(_ request: Page, _ snapshot: Snapshot) throws -> ReportPage {
        var items: [[UInt8]] = []
        var bytes = 0
        var last: ReportKey?
        var isCut = false
        try snapshot.reports(before: try request.cursor.map(key), limit: request.limit + 1) { key, report in
            var writer = JSONWriter()
            report.write(to: &writer)
            guard items.isEmpty || items.count < request.limit && bytes + writer.count <= Limits.pageBytes else {
                isCut = true
                return false
            }
            bytes += writer.count + 1
            items.append(writer.finish())
            last = key
            return true
        }
        return ReportPage(items: items, next: isCut ? last : nil)
    }

    /// The place that an earlier page's `next_cursor` names.
    private static func key(_ cursor: String) throws(Rejection) -> ReportKey {
        guard let value = Int64(cursor), value > 0, String(value) == cursor else {
            throw Rejection(.badRequest, "cursor: not one of this list")
        }
        return ReportKey(value: value)
    }

    func write(to writer: inout JSONWriter) {
        writer.object { object in
            object.member("items", array: items) { $0.raw($1) }
            object.member("next_cursor", next.map { String($0.value) })
        }
    }
}

extension ListReports: QueryHandler {
    func answer(in context: QueryContext, _ outgoing: inout Outgoing) throws {
        let page = try ReportPage.read(page, context.snapshot)
        outgoing.accept(context.route) { page.write(to: &$0) }
    }
}
