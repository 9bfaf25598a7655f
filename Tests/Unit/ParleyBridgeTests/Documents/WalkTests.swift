import Foundation
import ParleyProtocol
import TestNames
import TestSupport
import Testing

/// The files that `docs/architecture.md` names for a message on its device are there. Those on the gateway are found by
/// coverage: `scripts/walk.sh`.
@Suite("The walk of docs/architecture.md against the files")
struct WalkTests {
    /// The names of all files of the sources, without `.swift`.
    private static func sources() throws -> [String] {
        let root = Document.root.appending(path: "Sources")
        let files = try #require(FileManager.default.enumerator(at: root, includingPropertiesForKeys: nil))
        return files.compactMap { file in
            (file as? URL).flatMap { $0.pathExtension == "swift" ? $0.deletingPathExtension().lastPathComponent : nil }
        }
    }

    @Test("every file of the walk is there, and none stands in it twice")
    func files() throws {
        let page = try String(contentsOf: Document.folder.appending(path: "architecture.md"), encoding: .utf8)
        let section = try #require(page.components(separatedBy: "## One message, on its device\n").dropFirst().first)
            .components(separatedBy: "\n## ")[0]
        let rows = section.split(separator: "\n").filter { $0.hasPrefix("| ") }.dropFirst(2)
        let named = rows.flatMap { row -> [String] in
            let cell = row.split(separator: "|").last.map(String.init) ?? ""
            return cell.split(separator: ",").map { $0.trimmingCharacters(in: CharacterSet(charactersIn: "` ")) }
                .filter { !$0.isEmpty }
        }
        let sources = Set(try Self.sources())
        #expect(!named.isEmpty)
        #expect(named.filter { !sources.contains($0) } == [])
        #expect(Set(named).count == named.count)
    }
}
