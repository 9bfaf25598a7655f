import ArgumentParser
import ParleyClient
import ParleyProtocol

struct ReportsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reports", abstract: "Shows what users have reported, the newest first.",
        discussion: """
            With --id the whole of one report is shown, and else a line of each; in JSON id, reporter_id, user_id, \
            reason, message, evidence, created_at. What was reported is ciphertext, and what the reporter revealed \
            is their word: --verify opens the message with the content_key of the evidence, if there is one, which \
            shows what its sender has sealed.

            Examples:
              parley reports
              parley reports --id 7f31a5d0-0000-4000-8000-000000000000 --verify
              parley reports --json --limit 1000 | jq -r 'select(.user_id == "mallory") | .reason'
            """)

    @Option(help: ArgumentHelp("How many at most.", valueName: "N")) var limit: Int = 100
    @Option(help: ArgumentHelp("Only this report, by its id or the beginning of it.", valueName: "REPORT"))
    var id: ReportName?
    @Flag(help: "Open reported messages with the content keys that were revealed.") var verify = false

    @OptionGroup var common: CommonOptions

    func validate() throws {
        guard limit > 0 else { throw ValidationError("--limit takes 1 or more") }
    }

    func run() async throws {
        if let id {
            let shown = shown(try await find(id.text))
            return common.output.print(json: shown.json, as: shown.lines)
        }
        var table = Table(headings: ShownReport.headings(withOpening: verify))
        let isJSON = common.output.isJSON
        var count = 0
        _ = try await first { report in
            let shown = shown(report)
            if isJSON { Terminal.printJSON(shown.json) } else { table.add(shown.row) }
            count += 1
            return count == limit
        }
        if !isJSON { table.print() }
    }

    private func shown(_ report: Report) -> ShownReport {
        ShownReport(report, opening: verify ? ReportOpening(report) : nil)
    }

    /// The report with an id, or the only one whose id begins so.
    private func find(_ text: String) async throws -> Report {
        var found: [Report] = []
        let whole = try await first { report in
            if report.id.description.hasPrefix(text) { found.append(report) }
            return report.id.description == text
        }
        return try whole ?? found.one(text, what: "report")
    }

    /// Goes through the reports, the newest first, to the first that `isWanted`.
    private func first(_ isWanted: (Report) -> Bool) async throws -> Report? {
        var cursor: String?
        repeat {
            let page = Page(limit: id == nil ? min(limit, Limits.pageItems) : Limits.pageItems, cursor: cursor)
            let reports = try await common.gateway.ask(ListReports(page: page))
            if let report = reports.items.first(where: isWanted) { return report }
            cursor = reports.nextCursor
        } while cursor != nil
        return nil
    }
}

/// A report as an operator names it in an argument: its id, or the beginning of it.
struct ReportName: ExpressibleByArgument, Hashable, Sendable {
    let text: String

    init?(argument: String) {
        text = argument.lowercased()
        guard text.utf8.count >= shortestIDPrefix, text.allSatisfy({ $0.isHexDigit || $0 == "-" }) else { return nil }
    }
}

extension Report: Nameable {
    var names: [String] { [] }
    var idText: String? { id.description }
    var candidate: String { "\(id.short) (\(reporter) about \(user))" }
}
