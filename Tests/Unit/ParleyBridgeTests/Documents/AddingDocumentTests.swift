import Foundation
import TestSupport
import Testing

/// The diffs in `docs/adding.md` apply to the files that they name.
@Suite("What it takes to add one")
struct AddingDocumentTests {
    @Test("the lines around each added line stand so in the file, one behind the other")
    func contexts() throws {
        let page = try String(contentsOf: Document.folder.appending(path: "adding.md"), encoding: .utf8)
        let changes = page.components(separatedBy: "\n--- a/").dropFirst()
        #expect(changes.count == 4)
        for change in changes {
            let lines = change.components(separatedBy: "\n```")[0].components(separatedBy: "\n")
            let context = lines.filter { $0.hasPrefix(" ") }.map { $0.dropFirst() }.joined(separator: "\n")
            let source = try String(contentsOf: Document.root.appending(path: lines[0]), encoding: .utf8)
            #expect(!context.isEmpty && source.contains(context), "\(lines[0]): \(context)")
        }
    }
}
