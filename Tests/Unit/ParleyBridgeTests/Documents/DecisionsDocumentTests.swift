import Foundation
import TestSupport
import Testing

@Suite("docs/decisions/README.md against the pages")
struct DecisionsDocumentTests {
    @Test("the list has every decision, with the area, status and title that its page begins with")
    func list() throws {
        let folder = Document.folder.appending(path: "decisions")
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path()).filter { $0 != "README.md" }
        let head = /# (\d{4}): (.+)\n\nArea: (\w+)\. Status: ([^.\n]+)\. Date: \d{4}-\d\d-\d\d\.\n/
        let rows = try names.sorted().map { name in
            let page = try String(contentsOf: folder.appending(path: name), encoding: .utf8)
            let (_, number, title, area, status) = try #require(page.prefixMatch(of: head), "\(name)").output
            #expect(name.hasPrefix(number))
            return ["[\(number)](\(name))", String(area), String(status), String(title)]
        }
        try Document("decisions/README.md").expect(
            "decisions", is: table(["number", "area", "status", "decision"], rows))
    }
}
