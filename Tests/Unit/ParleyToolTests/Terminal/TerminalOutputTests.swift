import ParleyProtocol
import TestSupport
import Testing

@testable import parley

@Suite("What reaches the terminal", .ownThreads)
struct TerminalOutputTests {
    private static let hostile =
        "\u{1B}[2J\u{7}\u{85}\u{9B}31m\u{200E}\u{200F}\u{61C}\u{202A}\u{202E}\u{2066}\u{2069}\u{2028}\u{2029}\u{7F}\r\nx"

    private func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

    @Test("a sentence with anything in it is one line of printable characters, on either output")
    func sentences() async throws {
        let result = try #require(
            await #expect(processExitsWith: .success, observing: [\.standardOutputContent, \.standardErrorContent]) {
                let hostile =
                    "\u{1B}[2J\u{7}\u{85}\u{9B}31m\u{200E}\u{200F}\u{61C}\u{202A}\u{202E}\u{2066}\u{2069}\u{2028}\u{2029}\u{7F}"
                    + "\r\nx"
                Terminal.print(hostile)
                Terminal.report(ToolError(.rejected, "forbidden: \(hostile)").message)
            })
        let visible =
            #"\u{1b}[2J\u{7}\u{85}\u{9b}31m\u{200e}\u{200f}\u{61c}\u{202a}\u{202e}\u{2066}\u{2069}\u{2028}\u{2029}\u{7f}"#
            + #"\u{d}\u{a}x"#
        #expect(text(result.standardOutputContent).contains(visible + "\n"))
        #expect(text(result.standardErrorContent).contains("parley: forbidden: \(visible)\n"))
    }

    @Test("JSON is one line, printable, and means the same")
    func json() throws {
        var writer = JSONWriter()
        writer.object { $0.member("text", Self.hostile) }
        let line = text(writer.finish()).printableJSON
        #expect(line.unicodeScalars.allSatisfy { $0.isASCII && $0.value >= 0x20 && $0.value != 0x7F })
        #expect(line.contains(#"\u0085\u009b31m\u200e\u200f\u061c\u202a\u202e\u2066\u2069\u2028\u2029\u007f"#))
        #expect(try JSONObject(parsing: Array(line.utf8)).text("text", maximum: 100) == Self.hostile)
    }

    @Test("a text of several lines keeps them, and nothing else that moves the cursor")
    func lines() async throws {
        let result = try #require(
            await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
                Terminal.complain("one\ntwo\u{9B}2J\n\nfour")
            })
        #expect(text(result.standardErrorContent).contains("one\ntwo\\u{9b}2J\n\nfour\n"))
    }
}
