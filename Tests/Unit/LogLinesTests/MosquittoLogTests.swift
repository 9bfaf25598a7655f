import Logging
import ParleyProtocol
import Synchronization
import Testing

@testable import LogLines

@Suite("Mosquitto's log in the form of Parley's")
struct MosquittoLogTests {
    private final class Written: Sendable {
        private let bytes = Mutex<[UInt8]>([])

        func append(_ more: [UInt8]) { bytes.withLock { $0 += more } }
        var text: String { bytes.withLock { String(decoding: $0, as: UTF8.self) } }
    }

    /// What becomes of these pieces of input; it is 09:30 when they come.
    private func translated(_ pieces: [[UInt8]], as form: LogLines.Form = .text) -> String {
        let written = Written()
        let now = Timestamp(milliseconds: 1_768_469_400_123)
        let lines = LogLines(component: "mosquitto", form: form, level: .error, now: { now }) { written.append($0) }
        var log = MosquittoLog(to: lines)
        for piece in pieces { log.append(piece) }
        log.finish()
        return written.text
    }

    private func translated(_ text: String) -> String { translated([Array(text.utf8)]) }

    @Test(
        "a line keeps its time, and its level where it says one",
        arguments: [
            ("2026-01-15T09:29:07: Opening ipv4 listen socket.", "notice", "Opening ipv4 listen socket."),
            ("2026-01-15T09:29:07: Warning: parley: bob is away", "warning", "parley: bob is away"),
            ("2026-01-15T09:29:07: Error: Out of memory.", "error", "Out of memory."),
            ("1768469347: Error: Unable to open it.", "error", "Unable to open it."),
            ("1768469347: Error found at a.conf:1.", "error", "Error found at a.conf:1."),
            ("2026-01-15T09:29:07: Note: Error: in a note", "notice", "Note: Error: in a note"),
        ])
    func forms(line: String, level: String, message: String) {
        #expect(translated(line + "\n") == "2026-01-15T09:29:07.000Z \(level) mosquitto \(message)\n")
    }

    @Test(
        "a line without a time that there is gets the time when it came",
        arguments: [
            "free(): invalid pointer", "2026-02-30T09:29:07: no such day", "2026-01-15 09:29:07: another form",
            "1883: no time", "99999999999999999999: too many digits", "2026-01-15T09:29:07:no space", ":", "1", "é: x",
        ])
    func withoutTime(line: String) {
        #expect(translated(line + "\n") == "2026-01-15T09:30:00.123Z notice mosquitto \(line)\n")
    }

    @Test("what Mosquitto repeats without need is left out, and so are blank lines")
    func noise() {
        let text = """
            2026-01-15T09:29:07: Warning: Unable to set TCP_NODELAY.
            2026-01-15T09:29:07: Note: It is recommended to replace `message_size_limit` with `max_packet_size`.

            2026-01-15T09:29:07: \u{20}
            \r
            2026-01-15T09:29:08: Reloading config.\r

            """
        #expect(translated(text) == "2026-01-15T09:29:08.000Z notice mosquitto Reloading config.\n")
        #expect(translated("") == "" && translated("\n") == "")
    }

    @Test("a line may come in pieces, several at once, and the last without a line break")
    func pieces() {
        let text = Array(
            """
            2026-01-15T09:29:07: one ü
            2026-01-15T09:29:08: Warning: two
            2026-01-15T09:29:09: three
            """.utf8)
        let whole = translated([text])
        #expect(
            whole == """
                2026-01-15T09:29:07.000Z notice mosquitto one ü
                2026-01-15T09:29:08.000Z warning mosquitto two
                2026-01-15T09:29:09.000Z notice mosquitto three

                """)
        #expect(translated(text.map { [$0] }) == whole)
        for end in text.indices { #expect(translated([Array(text[..<end]), Array(text[end...])]) == whole) }
    }

    @Test("a line has a longest length, and the one behind it is whole")
    func longLine() {
        let beginning = "2026-01-15T09:29:07: "
        let fitting = String(repeating: "x", count: MosquittoLog.longestLine - beginning.count)
        let record = "2026-01-15T09:29:07.000Z notice mosquitto \(fitting)"
        #expect(translated("\(beginning)\(fitting)\n") == "\(record)\n")
        let long = Array("\(beginning)\(fitting)\(String(repeating: "y", count: 200_000))\n\(beginning)z\n".utf8)
        let expected = "\(record)…\n2026-01-15T09:29:07.000Z notice mosquitto z\n"
        #expect(translated([long]) == expected)
        let pieces = stride(from: 0, to: long.count, by: 1000).map { Array(long[$0..<min($0 + 1000, long.count)]) }
        #expect(translated(pieces) == expected)
    }

    @Test("as JSON each line is one object, whatever is in it")
    func json() throws {
        let hostile: [UInt8] = Array(#"2026-01-15T09:29:07: Warning: "a" \ "#.utf8) + Array(1...9) + Array(11...255)
        let line = translated([hostile], as: .json)
        #expect(line.hasSuffix("}\n") && line.split(separator: "\n").count == 1)
        let object = try JSONObject(parsing: Array(line.utf8))
        #expect(object.names == ["time", "level", "component", "message"])
        #expect(try object.text("time", maximum: 99) == "2026-01-15T09:29:07.000Z")
        #expect(try object.text("level", maximum: 99) == "warning")
        #expect(try object.text("message", maximum: 9999)?.hasPrefix(#""a" \ "#) == true)
    }
}
