import Logging
import ParleyProtocol

/// The log of Mosquitto 2.0, line by line as it comes, in the form of Parley's own.
package struct MosquittoLog {
    /// Bytes of a line; the rest of a longer one is left out. Mosquitto's own lines end at 1000.
    package static let longestLine = 4096

    private let lines: LogLines
    private var line: [UInt8] = []
    private var isCut = false

    /// - Parameter lines: where the records go. They keep the time that Mosquitto gives them.
    package init(to lines: LogLines) { self.lines = lines }

    /// Takes more of what the broker writes, in pieces of any size.
    package mutating func append(_ bytes: [UInt8]) {
        for piece in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).enumerated() {
            if piece.offset > 0 { endLine() }
            let room = MosquittoLog.longestLine - line.count
            isCut = isCut || piece.element.count > room
            line += piece.element.prefix(room)
        }
    }

    /// Ends a last line that has no line break.
    package mutating func finish() { endLine() }

    private mutating func endLine() {
        if let record = MosquittoRecord(parsing: line) {
            lines.log(record.level, isCut ? record.message + "…" : record.message, at: record.time)
        }
        line.removeAll(keepingCapacity: true)
        isCut = false
    }
}

/// A line of Mosquitto's log.
struct MosquittoRecord: Equatable {
    /// In whole seconds; `nil` where the line says none in a known form.
    let time: Timestamp?
    /// Mosquitto writes its level as a word before the message, and only for warnings and errors.
    let level: Logger.Level
    let message: String

    /// `nil` for a line that is blank, or one of the two that are left out.
    init?(parsing line: [UInt8]) {
        let (time, rest) = MosquittoRecord.time(of: line)
        let text = String(decoding: line[rest...], as: UTF8.self)
        let message = text.hasSuffix("\r") ? String(text.dropLast()) : text
        self.time = time
        switch message {
        case _ where message.allSatisfy(\.isWhitespace): return nil
        case _ where MosquittoRecord.isNoise(message): return nil
        case _ where message.hasPrefix("Error: "): (level, self.message) = (.error, String(message.dropFirst(7)))
        case _ where message.hasPrefix("Error found at "): (level, self.message) = (.error, message)
        case _ where message.hasPrefix("Warning: "): (level, self.message) = (.warning, String(message.dropFirst(9)))
        default: (level, self.message) = (.notice, message)
        }
    }

    /// What Debian's Mosquitto repeats for each connection by a Unix socket, which has no TCP_NODELAY, and at each
    /// start for an option that the templates in broker-config/ have on purpose.
    private static func isNoise(_ message: String) -> Bool {
        message == "Warning: Unable to set TCP_NODELAY."
            || message.hasPrefix("Note: It is recommended to replace `message_size_limit`")
    }

    /// The time that a line begins with, and where the message begins: `2026-01-15T09:30:00: `, by the templates'
    /// `log_timestamp_format`, or seconds since 1970, until the broker has read that option.
    private static func time(of line: [UInt8]) -> (Timestamp?, rest: Int) {
        if line.count >= 21, line[19] == UInt8(ascii: ":"), line[20] == UInt8(ascii: " ") {
            let text = Array(line[..<19]) + Array(".000Z".utf8)
            if let time = Timestamp(parsing: text.span) { return (time, 21) }
        }
        let digits = line.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        if (9...11).contains(digits.count), line.dropFirst(digits.count).starts(with: Array(": ".utf8)) {
            let seconds = digits.reduce(into: Int64(0)) { $0 = $0 * 10 + Int64($1 - UInt8(ascii: "0")) }
            return (Timestamp(milliseconds: seconds * 1000), digits.count + 2)
        }
        return (nil, 0)
    }
}
