/// Statements as PostgreSQL numbers their parameters.
///
/// The texts are the store's, with `?` and `?1`: `docs/decisions/0047-one-text-for-two-engines.md`.
struct StatementTexts {
    private var known: [String: String] = [:]

    mutating func text(_ sql: String) -> String {
        if let text = known[sql] { return text }
        let text = StatementTexts.numbered(sql)
        known[sql] = text
        return text
    }

    /// With `$1` for `?1`, and for the first `?`. A constant in quotes is left as it is.
    static func numbered(_ sql: String) -> String {
        var text: [UInt8] = []
        var (rest, count) = (Array(sql.utf8)[...], 0)
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "'"):
                let end = rest.firstIndex(of: UInt8(ascii: "'")).map { $0 + 1 } ?? rest.endIndex
                text.append(byte)
                text += rest[..<end]
                rest = rest[end...]
            case UInt8(ascii: "?"):
                text.append(UInt8(ascii: "$"))
                guard rest.first.map(isDigit) != true else { continue }
                count += 1
                text += "\(count)".utf8
            default: text.append(byte)
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }
}
