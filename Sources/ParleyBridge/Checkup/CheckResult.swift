import ParleyProtocol

/// What one check of `parleyd doctor` has found.
package struct CheckResult: Hashable, Sendable {
    package enum State: String, Sendable {
        case ok
        /// It works, and somebody should know.
        case warning
        case wrong
    }

    package let name: String
    package let state: State
    /// A sentence; of what is wrong also what to do.
    package let says: String

    init(_ name: String, _ state: State, _ says: String) { (self.name, self.state, self.says) = (name, state, says) }

    /// Of a check that finds several things, one line each.
    static func all(_ name: String, wrong: [String], warnings: [String] = [], ok: String) -> [CheckResult] {
        guard !wrong.isEmpty || !warnings.isEmpty else { return [CheckResult(name, .ok, ok)] }
        return wrong.map { CheckResult(name, .wrong, $0) } + warnings.map { CheckResult(name, .warning, $0) }
    }

    package var line: String {
        "\(state.rawValue)\(String(repeating: " ", count: 9 - state.rawValue.count))\(name): \(says)"
    }
}

extension [CheckResult] {
    package var isWell: Bool { !contains { $0.state == .wrong } }

    /// As one line of JSON.
    package var json: String {
        let bytes = JSONWriter.object { object in
            object.member("is_well", isWell)
            object.member("checks", array: self) { writer, result in
                writer.object { check in
                    check.member("check", result.name)
                    check.member("state", result.state.rawValue)
                    check.member("says", result.says)
                }
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
