import Foundation
import LyingGateway
import TestSupport
import Testing

@Suite("The lies that the web page is told")
struct PageTests {
    /// The lies that mean nothing to a page, and why.
    private static let foreign: [Lie: String] = [:]

    @Test(
        "each lie is told to the page, by its name here, but for those that mean nothing to a page",
        arguments: Lie.allCases)
    func isTold(_ lie: Lie) throws {
        let isNamed = try PageTests.modules.contains { $0.contains("'\(lie.family).\(lie.name)'") }
        if let reason = PageTests.foreign[lie] {
            #expect(!isNamed, "it is told, and is said to mean nothing to a page: \(reason)")
        } else {
            #expect(isNamed, "no test in Tests/Interop/WebPage/unit tells '\(lie.family).\(lie.name)': \(lie.sentence)")
        }
    }

    /// The modules of the page's tests.
    private static var modules: [String] {
        get throws {
            let folder = Document.root.appending(path: "Tests/Interop/WebPage/unit")
            return try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
                .filter { $0.pathExtension == "js" }.map { try String(contentsOf: $0, encoding: .utf8) }
        }
    }
}
