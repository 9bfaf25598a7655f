/// Why an attempt to connect failed, out of libpq's text of many lines.
struct ConnectError {
    let error: PostgreSQLError

    init(message: UnsafePointer<CChar>?) {
        self.init(message: unsafe message.map { unsafe String(cString: $0) } ?? "")
    }

    /// - Parameter message: the server's refusal stands in it as `FATAL:  28P01: …`, the first word in the server's
    ///   language.
    init(message: String) {
        let lines = message.split(whereSeparator: \.isNewline).map(String.init)
        // Each address that was tried has added its own.
        for line in lines.reversed() {
            if let error = ConnectError.refusal(line) {
                self.error = error
                return
            }
        }
        // What says more, and not for people, begins so in every language but the first words of DETAIL and HINT.
        let shown = lines.filter { line in !["LOCATION:", "DETAIL:", "HINT:"].contains { line.hasPrefix($0) } }
        error = .connection(reason: PrintableText.make(shown.joined(separator: "; ")))
    }

    private static func refusal(_ line: String) -> PostgreSQLError? {
        var rest = line[...]
        while let colon = rest.firstRange(of: ":  ") {
            rest = rest[colon.upperBound...]
            let code = rest.prefix(5)
            if let sqlState = SQLState(code.utf8), rest.dropFirst(5).hasPrefix(": ") {
                return .server(
                    sqlState: sqlState, message: PrintableText.make(String(rest.dropFirst(7))), constraint: nil)
            }
        }
        return nil
    }
}
