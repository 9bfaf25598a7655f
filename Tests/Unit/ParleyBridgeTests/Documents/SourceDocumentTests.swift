import Foundation
import TestSupport
import Testing

@Suite("Lists in docs against the sources")
struct SourceDocumentTests {
    private static let sources = Document.root.appending(path: "Sources")

    @Test("docs/architecture.md names the capabilities: the folders that three targets or more have")
    func capabilities() throws {
        let folders = try ["Protocol", "Rules", "Store", "Bridge", "Client"].flatMap { target in
            try FileManager.default.contentsOfDirectory(
                at: Self.sources.appending(path: "Parley\(target)"), includingPropertiesForKeys: nil
            ).filter(\.hasDirectoryPath).map(\.lastPathComponent)
        }
        let targets = Dictionary(folders.map { ($0, 1) }, uniquingKeysWith: +)
        let names = targets.filter { $0.value >= 3 }.keys.sorted().map { "`\($0)`" }
        try Document("architecture.md").expect("capabilities", is: names.joined(separator: ", ") + "\n")
    }

    @Test("docs/client.md names the faces: the public computed properties of MessagingClient")
    func faces() throws {
        let client = Self.sources.appending(path: "ParleyClient")
        let files = try #require(FileManager.default.enumerator(at: client, includingPropertiesForKeys: nil))
        let code = try files.compactMap { $0 as? URL }.filter { $0.pathExtension == "swift" }
            .map { try String(contentsOf: $0, encoding: .utf8) }.joined()
        let properties = code.matches(of: /public nonisolated var (\w+):/).map { "client.\($0.output.1)" }
        let table = try #require(try Document("client.md").part("faces"))
        let named = table.matches(of: /\| `([a-zA-Z.]+)` \|/).map { String($0.output.1) }
        #expect(named.sorted() == properties.filter { $0 != "client.unownedExecutor" }.sorted())
    }
}
