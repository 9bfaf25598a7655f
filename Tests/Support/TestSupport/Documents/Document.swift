import Foundation
import Testing

/// A page of `docs`, and the parts of it that say what the code says.
package struct Document {
    private let name: String
    private let text: String

    /// The root of the repository: this is Tests/Support/TestSupport/Documents/Document.swift.
    package static let root = (0..<5).reduce(URL(filePath: #filePath)) { url, _ in url.deletingLastPathComponent() }
    package static let folder = root.appending(path: "docs")

    package init(_ name: String) throws {
        self.name = name
        text = try String(contentsOf: Self.folder.appending(path: name), encoding: .utf8)
    }

    /// The text between `<!-- part -->` and `<!-- /part -->`; `nil` without them.
    package func part(_ part: String) -> String? {
        text.range(of: "<!-- \(part) -->\n").flatMap { start in
            text.range(of: "<!-- /\(part) -->", range: start.upperBound..<text.endIndex).map { stop in
                String(text[start.upperBound..<stop.lowerBound])
            }
        }
    }

    /// The names in the first column of the table that is this part.
    package func names(_ part: String) -> [String] {
        (self.part(part) ?? "").split(separator: "\n").dropFirst(2).flatMap { row in
            row.split(separator: "|")[0].split(separator: ",").map {
                $0.trimmingCharacters(in: CharacterSet(charactersIn: " `"))
            }
        }
    }

    /// Expects that the part is `expected`, and says it if not.
    package func expect(_ part: String, is expected: String, sourceLocation: SourceLocation = #_sourceLocation) {
        let (begin, end) = ("<!-- \(part) -->\n", "<!-- /\(part) -->")
        guard self.part(part) != "\n\(expected)\n" else { return }
        Issue.record(
            "docs/\(name) does not say what the code does. It should hold:\n\n\(begin)\n\(expected)\n\(end)",
            sourceLocation: sourceLocation)
    }
}

extension Document {
    /// What stands in code font in the row of a table that begins with `name`, each span by itself; empty where there
    /// is none.
    package func code(inRow name: String) -> [String] {
        let row = text.split(separator: "\n").first { $0.hasPrefix("| \(name) |") }
        return row.map { $0.split(separator: "`", omittingEmptySubsequences: false) }?.enumerated()
            .filter { !$0.offset.isMultiple(of: 2) }.map { String($0.element) } ?? []
    }
}

/// Rows of a table in Markdown, a line each.
package func table(_ head: [String], _ rows: [[String]]) -> String {
    func line(_ cells: [String]) -> String { "| " + cells.joined(separator: " | ") + " |\n" }
    return line(head) + line(head.map { _ in "---" }) + rows.map(line).joined()
}
