import Logging
import ParleyProtocol
import Synchronization
import Testing

@testable import LogLines

@Suite("Lines of logs")
struct LogLinesTests {
    private final class Written: Sendable {
        private let bytes = Mutex<[UInt8]>([])

        func append(_ more: [UInt8]) { bytes.withLock { $0 += more } }
        var text: String { bytes.withLock { String(decoding: $0, as: UTF8.self) } }
    }

    private let written = Written()

    private func lines(_ form: LogLines.Form, level: Logger.Level = .notice) -> LogLines {
        let time = Timestamp(milliseconds: 1_768_469_400_123)
        return LogLines(component: "parleyd", form: form, level: level, now: { time }) { [written] in written.append($0)
        }
    }

    @Test("a record is its time in UTC, its level, the program, the message and what goes with it")
    func text() {
        let logger = lines(.text).logger
        logger.warning("waiting for the broker", metadata: ["reason": "connection refused", "count": "7", "empty": ""])
        #expect(
            written.text
                == "2026-01-15T09:30:00.123Z warning parleyd waiting for the broker count=7 empty=\"\" "
                + "reason=\"connection refused\"\n")
    }

    @Test("a record is one line, whatever goes with it")
    func oneLine() {
        let logger = lines(.text).logger
        logger.error("it failed", metadata: ["reason": "a \"b\"\nc\r\t\u{1B}[2J\u{202E}\\ d=e"])
        #expect(
            written.text
                == "2026-01-15T09:30:00.123Z error parleyd it failed "
                + #"reason="a \"b\"\nc\r\t\u{1b}[2J\u{202e}\\ d=e""# + "\n")
    }

    @Test("as JSON it is an object with the same")
    func json() throws {
        let logger = lines(.json).logger
        logger.warning("waiting", metadata: ["reason": "a \"b\"\nc", "time": "never", "list": ["x", "y"]])
        #expect(written.text.hasSuffix("}\n") && written.text.split(separator: "\n").count == 1)
        let object = try JSONObject(parsing: Array(written.text.utf8))
        #expect(object.names == ["time", "level", "component", "message", "list", "reason"])
        #expect(try object.text("time", maximum: 99) == "2026-01-15T09:30:00.123Z")
        #expect(try object.text("reason", maximum: 99) == "a \"b\"\nc")
    }

    @Test("the level changes for all loggers at once")
    func levels() {
        let lines = lines(.text)
        let (one, other) = (lines.logger, lines.logger)
        one.info("too low")
        lines.level = .debug
        other.debug("now it is")
        lines.level = .error
        one.warning("too low again")
        #expect(written.text == "2026-01-15T09:30:00.123Z debug parleyd now it is\n")
    }
}
