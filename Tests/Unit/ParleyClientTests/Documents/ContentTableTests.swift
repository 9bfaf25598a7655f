import Foundation
import ParleyProtocol
import TestSupport
import Testing

@testable import ParleyClient

/// `docs/protocol.md` says of contents what the code writes.
@Suite("The table of contents of messages")
struct ContentTableTests {
    /// The members of an object with everything, in their order; those that one with as little as may be lacks are
    /// marked.
    private static func members(_ most: JSONObject, _ least: JSONObject) -> String {
        "`" + most.names.map { least.has($0) ? $0 : "\($0)?" }.joined(separator: ", ") + "`"
    }

    private static func expectedTable() throws -> String {
        var lines = ["| `message_type` | content |", "| --- | --- |"]
        var attachment: String?
        for type in MessageType.Sendable.allCases {
            let samples = try MessageContent.samples(type).map { try JSONObject(parsing: $0.encoded()) }
            let (most, least) = (try #require(samples.first), try #require(samples.last))
            lines.append("| `\(type.rawValue)` | \(members(most, least)) |")
            if case .file = type {
                attachment = members(try #require(try most.object("file")), try #require(try least.object("file")))
            }
        }
        lines.append("| the `file` in these | \(try #require(attachment)) |")
        return lines.joined(separator: "\n")
    }

    @Test("it names every member of every type")
    func table() throws {
        let text = try String(contentsOf: Document.folder.appending(path: "protocol.md"), encoding: .utf8)
        let expected = try Self.expectedTable()
        #expect(text.contains("<!-- contents -->\n\n\(expected)\n\n<!-- /contents -->"), "it should hold:\n\(expected)")
    }
}
