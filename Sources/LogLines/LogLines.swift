import Logging
import ParleyProtocol
import Platform
import Synchronization

/// What a program logs: a line for each record, on standard error, from a level on that may change at any time.
///
/// As text: the time in UTC, the level, the program, the message, and `key=value` for what goes with it. As JSON: an
/// object with the same, named `time`, `level`, `component` and `message`. Control characters are escaped, so that a
/// record is one line.
package final class LogLines: Sendable {
    package enum Form: String, Sendable, CaseIterable {
        case text, json
    }

    private let component: String
    private let form: Form
    private let lowest: Atomic<Int>
    private let now: @Sendable () -> Timestamp
    private let write: @Sendable ([UInt8]) -> Void

    /// - Parameters:
    ///   - component: the program's name.
    ///   - write: is given each line, on any thread.
    package init(
        component: String, form: Form, level: Logger.Level,
        now: @escaping @Sendable () -> Timestamp = { Timestamp(milliseconds: SystemClock.timeOfDay.milliseconds) },
        write: @escaping @Sendable ([UInt8]) -> Void = StandardError.write
    ) {
        (self.component, self.form, self.now, self.write) = (component, form, now, write)
        lowest = Atomic(LogLines.number(level))
    }

    /// The lowest level that is logged.
    package var level: Logger.Level {
        get { Logger.Level.allCases[lowest.load(ordering: .relaxed)] }
        set { lowest.store(LogLines.number(newValue), ordering: .relaxed) }
    }

    private static func number(_ level: Logger.Level) -> Int { Logger.Level.allCases.firstIndex(of: level) ?? 0 }

    package var logger: Logger { Logger(label: component) { _ in Handler(lines: self) } }

    /// Logs what another program has logged, whatever its level.
    ///
    /// - Parameter time: when it did, or `nil` for now.
    package func log(_ level: Logger.Level, _ message: String, at time: Timestamp?) {
        write(Record(time: time ?? now(), level: level, message: message, pairs: []))
    }

    fileprivate func log(_ level: Logger.Level, _ message: String, _ metadata: Logger.Metadata) {
        let pairs = metadata.sorted { $0.key < $1.key }.map { (key: $0.key, value: $0.value.description) }
        write(Record(time: now(), level: level, message: message, pairs: pairs))
    }

    private struct Record {
        let time: Timestamp
        let level: Logger.Level
        let message: String
        let pairs: [(key: String, value: String)]
    }

    private func write(_ record: Record) {
        let bytes: [UInt8] =
            switch form {
            case .text: Array(text(record).utf8)
            case .json: json(record)
            }
        write(bytes + [UInt8(ascii: "\n")])
    }

    private func text(_ record: Record) -> String {
        let beginning = "\(record.time) \(record.level.rawValue) \(component) \(LogLines.escaped(record.message))"
        return record.pairs.reduce(into: beginning) { line, pair in
            line += " \(LogLines.escaped(pair.key))=\(LogLines.quoted(pair.value))"
        }
    }

    private func json(_ record: Record) -> [UInt8] {
        JSONWriter.object { writer in
            writer.member("time", record.time)
            writer.member("level", record.level.rawValue)
            writer.member("component", component)
            writer.member("message", record.message)
            for pair in record.pairs where !LogLines.ownKeys.contains(pair.key) {
                writer.member(pair.key, pair.value)
            }
        }
    }

    private static let ownKeys: Set<String> = ["time", "level", "component", "message"]

    /// In quotation marks where its end could not be seen otherwise.
    private static func quoted(_ text: String) -> String {
        let isPlain =
            !text.isEmpty
            && text.unicodeScalars.allSatisfy { $0.value > 0x20 && $0 != "\"" && $0 != "=" && $0 != "\\" }
        return isPlain ? escaped(text) : "\"\(escaped(text, quotes: true))\""
    }

    private static func escaped(_ text: String, quotes: Bool = false) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            case "\t": result += "\\t"
            case "\"" where quotes: result += "\\\""
            case "\\" where quotes: result += "\\\\"
            case _ where scalar.properties.generalCategory == .control || scalar.properties.generalCategory == .format:
                result += "\\u{\(String(scalar.value, radix: 16))}"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}

private struct Handler: LogHandler {
    let lines: LogLines
    var metadata: Logger.Metadata = [:]

    init(lines: LogLines) { self.lines = lines }

    var logLevel: Logger.Level {
        get { lines.level }
        set { lines.level = newValue }
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        let given = event.metadata ?? [:]
        lines.log(event.level, event.message.description, metadata.merging(given) { _, new in new })
    }
}
