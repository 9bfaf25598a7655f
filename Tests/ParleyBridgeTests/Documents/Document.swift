import Foundation
import Testing

/// A page of `docs`, and the parts of it that say what the code says.
struct Document {
    private let name: String
    private let text: String

    init(_ name: String) throws {
        self.name = name
        // Tests/ParleyBridgeTests/Documents/Document.swift
        var root = URL(filePath: #filePath)
        for _ in 0..<4 { root.deleteLastPathComponent() }
        text = try String(contentsOf: root.appending(path: "docs/\(name)"), encoding: .utf8)
    }

    /// Expects that what stands between `<!-- part -->` and `<!-- /part -->` is `expected`, and says it if not.
    func expect(_ part: String, is expected: String, sourceLocation: SourceLocation = #_sourceLocation) {
        let (begin, end) = ("<!-- \(part) -->\n", "<!-- /\(part) -->")
        let found: String? = text.range(of: begin).flatMap { start in
            text.range(of: end, range: start.upperBound..<text.endIndex).map { stop in
                String(text[start.upperBound..<stop.lowerBound])
            }
        }
        guard found != "\n\(expected)\n" else { return }
        Issue.record(
            "docs/\(name) does not say what the code does. It should hold:\n\n\(begin)\n\(expected)\n\(end)",
            sourceLocation: sourceLocation)
    }
}

/// Rows of a table in Markdown, a line each.
func table(_ head: [String], _ rows: [[String]]) -> String {
    func line(_ cells: [String]) -> String { "| " + cells.joined(separator: " | ") + " |\n" }
    return line(head) + line(head.map { _ in "---" }) + rows.map(line).joined()
}
