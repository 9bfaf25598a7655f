import ParleyProtocol

/// A report as the tool shows it, made printable: its texts come from users.
struct ShownReport {
    private let report: Report
    /// The result of opening the message; `nil` without `--verify`.
    private let opening: ReportOpening?

    /// The longest reason in a table, in characters.
    private static let longestReason = 60

    init(_ report: Report, opening: ReportOpening?) {
        self.report = report
        self.opening = opening
    }

    // MARK: In a table

    static func headings(withOpening: Bool) -> [String] {
        ["WHEN", "BY", "ABOUT", "WHAT", "EVIDENCE"] + (withOpening ? ["OPENS"] : []) + ["REPORT", "REASON"]
    }

    var row: [String] {
        let reason = report.reason.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        let cut = reason.count > ShownReport.longestReason ? "…" : ""
        return [
            String(report.createdAt.description.prefix(16)), report.reporter.text, report.user.text,
            report.message == nil ? "user" : "message", report.evidence.map { "\($0.count) bytes" } ?? "",
        ] + (opening.map { [$0.isOpened ? "yes" : "no"] } ?? []) + [
            report.id.description, reason.prefix(ShownReport.longestReason) + cut,
        ]
    }

    // MARK: Whole

    /// For people.
    var lines: [String] {
        var rows = [
            ("report", report.id.description), ("made", report.createdAt.description), ("by", report.reporter.text),
            ("about", report.user.text),
        ]
        if let message = report.message {
            rows.append(("message", String(decoding: message, as: UTF8.self).printableJSON))
        }
        if let evidence = report.evidence {
            rows.append(("evidence", String(decoding: evidence, as: UTF8.self).printableJSON))
        }
        if let opening { rows.append(("opens", opening.description.printableJSON)) }
        for (index, line) in report.reason.printableLines.enumerated() {
            rows.append((index == 0 ? "reason" : "", line))
        }
        return rows.map { "\($0.padded(to: 10))\($1)" }
    }

    /// For programs: the report's fields under the protocol's names, the evidence as the JSON that it is.
    var json: [UInt8] {
        JSONWriter.object { object in
            object.member("id", report.id)
            object.member("reporter_id", report.reporter)
            object.member("user_id", report.user)
            object.member("reason", report.reason)
            object.member("message", raw: report.message)
            object.member("evidence", raw: report.evidence)
            object.member("created_at", report.createdAt)
            opening?.writeMembers(to: &object)
        }
    }
}
