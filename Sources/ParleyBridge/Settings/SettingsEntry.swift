import ParleyProtocol

extension Settings {
    /// One line of the table in `docs/operations.md`.
    package struct Entry: Sendable {
        /// Where the value is, and which values it takes.
        package enum Value: Sendable {
            case number(ClosedRange<Int>, any WritableKeyPath<Settings, Int> & Sendable)
            /// A time: a number of these units, or a text such as `"30s"`, `"5m"` or `"7d"` that is as many whole ones.
            case duration(DurationUnit, ClosedRange<Int>, any WritableKeyPath<Settings, Int> & Sendable)
            /// `true` or `false`; a number 0 or 1 counts as such, as files from before have it.
            case flag(any WritableKeyPath<Settings, Bool> & Sendable)
            /// The beginning of a URL, itself beginning in one of these ways; printable characters of ASCII.
            case url(beginnings: [String], any WritableKeyPath<Settings, String> & Sendable)
            /// One of these.
            case choice([String], any WritableKeyPath<Settings, String> & Sendable)
            /// Printable characters of ASCII, or nothing: a name, or the path of a file.
            case text(any WritableKeyPath<Settings, String> & Sendable)
        }

        package let name: String
        package let value: Value
        package let meaning: String

        init(_ name: String, _ value: Value, _ meaning: String) {
            (self.name, self.value, self.meaning) = (name, value, meaning)
        }

        /// Whether a change holds from the next reload on. Others need a restart.
        package var isReloadable: Bool { !Settings.needingRestart.contains(name) }

        /// The default, as JSON.
        package var defaultText: String {
            switch value {
            case .number(_, let keyPath), .duration(_, _, let keyPath): "\(Settings()[keyPath: keyPath])"
            case .flag(let keyPath): "\(Settings()[keyPath: keyPath])"
            case .url(_, let keyPath), .choice(_, let keyPath), .text(let keyPath):
                "`\"\(Settings()[keyPath: keyPath])\"`"
            }
        }

        /// The values that it takes, for people.
        package var rangeText: String {
            switch value {
            case .number(let range, _): "\(range.lowerBound) to \(range.upperBound)"
            case .duration(let unit, let range, _):
                "\(range.lowerBound) to \(range.upperBound), or a time such as `\"\(range.upperBound)\(unit.rawValue)\"`"
            case .flag: "true or false"
            case .url(let beginnings, _): beginnings.map { "`\($0)…`" }.joined(separator: " or ")
            case .choice(let choices, _): choices.map { "`\"\($0)\"`" }.joined(separator: ", ")
            case .text: "a text"
            }
        }

        /// Sets what `object` names; what it does not name stays as it is.
        ///
        /// - Throws: `bad_request` for a value that the setting does not take.
        func read(_ object: JSONObject, into settings: inout Settings) throws(Rejection) {
            switch value {
            case .number(let range, let keyPath):
                if let number = try object.integer(name, in: range) { settings[keyPath: keyPath] = number }
            case .duration(let unit, let range, let keyPath):
                if object.isText(name) {
                    let text = try object.text(name, maximum: Entry.longestURL) ?? ""
                    guard let number = unit.count(in: text) else {
                        throw Rejection(.badRequest, "\(name): not a time of whole \(unit.plural)")
                    }
                    guard range.contains(number) else {
                        throw Rejection(
                            .badRequest, "\(name): not in \(range.lowerBound) to \(range.upperBound) \(unit.plural)")
                    }
                    settings[keyPath: keyPath] = number
                } else if let number = try object.integer(name, in: range) {
                    settings[keyPath: keyPath] = number
                }
            case .flag(let keyPath):
                if object.isNumber(name) {
                    if let number = try object.integer(name, in: 0...1) { settings[keyPath: keyPath] = number == 1 }
                } else if let isOn = try object.bool(name) {
                    settings[keyPath: keyPath] = isOn
                }
            case .url(let beginnings, let keyPath):
                guard let url = try object.text(name, maximum: Entry.longestURL) else { return }
                guard beginnings.contains(where: { url.hasPrefix($0) && url != $0 }),
                    url.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "\"") })
                else { throw Rejection(.badRequest, "\(name): not the beginning of such a URL") }
                settings[keyPath: keyPath] = url
            case .choice(let choices, let keyPath):
                guard let choice = try object.text(name, maximum: Entry.longestURL) else { return }
                guard choices.contains(choice) else {
                    throw Rejection(.badRequest, "\(name): not one of \(choices.joined(separator: ", "))")
                }
                settings[keyPath: keyPath] = choice
            case .text(let keyPath):
                guard let text = try object.text(name, maximum: Entry.longestURL) else { return }
                guard text.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else {
                    throw Rejection(.badRequest, "\(name): not printable characters of ASCII")
                }
                settings[keyPath: keyPath] = text
            }
        }

        /// In characters.
        private static let longestURL = 512

        /// Sets the value that other settings have.
        ///
        /// - Returns: whether it was another one.
        func copy(from other: Settings, to settings: inout Settings) -> Bool {
            func copy<Content: Equatable>(_ keyPath: WritableKeyPath<Settings, Content>) -> Bool {
                defer { settings[keyPath: keyPath] = other[keyPath: keyPath] }
                return settings[keyPath: keyPath] != other[keyPath: keyPath]
            }
            return switch value {
            case .number(_, let keyPath), .duration(_, _, let keyPath): copy(keyPath)
            case .flag(let keyPath): copy(keyPath)
            case .url(_, let keyPath), .choice(_, let keyPath), .text(let keyPath): copy(keyPath)
            }
        }
    }

    /// The unit of a setting that is a time.
    package enum DurationUnit: String, Sendable, CaseIterable {
        case milliseconds = "ms"
        case seconds = "s"
        case minutes = "m"
        case hours = "h"
        case days = "d"

        private var milliseconds: Int {
            switch self {
            case .milliseconds: 1
            case .seconds: 1000
            case .minutes: 60_000
            case .hours: 3_600_000
            case .days: 86_400_000
            }
        }

        var plural: String { "\(self)" }

        /// How many of this unit a text such as "90m" is; `nil` if it is no time, or not that of whole ones.
        func count(in text: String) -> Int? {
            let digits = text.prefix { $0.isASCII && $0.isNumber }
            guard let number = Int(digits), let unit = DurationUnit(rawValue: String(text.dropFirst(digits.count)))
            else { return nil }
            let (total, overflow) = number.multipliedReportingOverflow(by: unit.milliseconds)
            return overflow || total % milliseconds != 0 ? nil : total / milliseconds
        }
    }
}
