import ParleyProtocol

extension Settings {
    /// Reads the settings' JSON, and then variables of the environment, which go before it: `PARLEY_SETTING_` and a
    /// setting's name in upper case. Every mistake is named: unknown names, and values that are not taken.
    package init(
        parsing bytes: [UInt8], environment: [String: String] = [:]
    ) throws(SettingsError) {
        self.init()
        var problems: [SettingsProblem] = []
        do throws(JSONError) {
            try read(JSONObject(parsing: bytes), &problems)
        } catch {
            problems.append(SettingsProblem(.line(Settings.line(ofFaultIn: bytes)), "the file \(error.rawValue)"))
        }
        readEnvironment(environment, &problems)
        guard problems.isEmpty else { throw SettingsError(problems: problems) }
    }

    private mutating func read(_ object: JSONObject, _ problems: inout [SettingsProblem]) {
        for name in object.names where !Settings.entries.contains(where: { $0.name == name }) {
            problems.append(
                SettingsProblem(.line(Settings.line(of: name, in: object)), "there is no setting \"\(name)\""))
        }
        for entry in Settings.entries {
            do throws(Rejection) {
                try entry.read(object, into: &self)
            } catch {
                problems.append(
                    SettingsProblem(
                        .line(Settings.line(of: entry.name, in: object)),
                        "\(error.message); it is \(Settings.shown(entry.name, in: object))"))
            }
        }
        problems.sort { $0.place.line < $1.place.line }
    }

    /// What names of variables begin with.
    package static let variablePrefix = "PARLEY_SETTING_"

    private mutating func readEnvironment(
        _ environment: [String: String], _ problems: inout [SettingsProblem]
    ) {
        for (variable, text) in environment.sorted(by: { $0.key < $1.key }) {
            guard variable.hasPrefix(Settings.variablePrefix) else { continue }
            let place = SettingsProblem.Place.variable(variable)
            let name = variable.dropFirst(Settings.variablePrefix.count).lowercased()
            guard let entry = Settings.entries.first(where: { $0.name == name }) else {
                problems.append(SettingsProblem(place, "there is no setting \"\(name)\""))
                continue
            }
            do throws(Rejection) {
                try entry.read(Settings.object(of: entry, text), into: &self)
            } catch {
                problems.append(SettingsProblem(place, "\(error.message); it is \(Settings.shortened(text))"))
            }
        }
    }

    /// A variable's text as JSON: a number or a truth value where the setting takes one and the text is one.
    private static func object(of entry: Entry, _ text: String) throws(Rejection) -> JSONObject {
        let isLiteral: Bool =
            switch entry.value {
            case .number, .duration: !text.isEmpty && text.utf8.allSatisfy { (0x30...0x39).contains($0) }
            case .flag: ["true", "false", "0", "1"].contains(text)
            case .url, .choice, .text: false
            }
        let bytes = JSONWriter.object { writer in
            if isLiteral {
                writer.member(entry.name, raw: Array(text.utf8))
            } else {
                writer.member(entry.name, text)
            }
        }
        do throws(JSONError) {
            return try JSONObject(parsing: bytes)
        } catch {
            throw Rejection(.badRequest, "\(entry.name): it \(error.rawValue)")
        }
    }

    // MARK: Places

    /// The line of a member's value, from 1.
    private static func line(of name: String, in object: JSONObject) -> Int {
        line(at: object.place(of: name)?.lowerBound ?? 0, in: object.source)
    }

    private static func line(at offset: Int, in bytes: [UInt8]) -> Int {
        bytes.prefix(offset).count { $0 == UInt8(ascii: "\n") } + 1
    }

    /// The line of the first byte with which the text stops being the beginning of an object.
    private static func line(ofFaultIn bytes: [UInt8]) -> Int {
        func isBeginning(_ count: Int) -> Bool {
            do throws(JSONError) {
                _ = try JSONObject(parsing: 0..<count, of: bytes)
                return true
            } catch {
                return error == .truncated || error == .empty
            }
        }
        var (good, bad) = (0, bytes.count)
        while bad - good > 1 {
            let middle = (good + bad) / 2
            if isBeginning(middle) { good = middle } else { bad = middle }
        }
        return line(at: max(0, bad - 1), in: bytes)
    }

    /// The value as the file has it.
    private static func shown(_ name: String, in object: JSONObject) -> String {
        guard let place = object.place(of: name) else { return "missing" }
        return shortened(String(decoding: object.source[place], as: UTF8.self))
    }

    private static func shortened(_ text: String) -> String {
        let most = 60
        let line = text.prefix(most).map { $0.isNewline ? " " : $0 }
        return String(line) + (text.count > most ? "…" : "")
    }
}

/// One mistake in the settings.
package struct SettingsProblem: Hashable, Sendable {
    package enum Place: Hashable, Sendable {
        /// Of the file, from 1.
        case line(Int)
        /// Of the environment.
        case variable(String)

        fileprivate var line: Int {
            switch self {
            case .line(let line): line
            case .variable: Int.max
            }
        }
    }

    package let place: Place
    package let what: String

    init(_ place: Place, _ what: String) { (self.place, self.what) = (place, what) }

    /// One line.
    ///
    /// - Parameter file: the settings' file.
    package func sentence(in file: String) -> String {
        switch place {
        case .line(let line): "\(file):\(line): \(what)"
        case .variable(let name): "\(name) in the environment: \(what)"
        }
    }
}

/// All mistakes of the settings.
package struct SettingsError: Error, CustomStringConvertible {
    package let problems: [SettingsProblem]

    package var description: String { problems.map { $0.sentence(in: "settings") }.joined(separator: "\n") }
}
