/// A text of libpq's or of a server's, for people: at most 500 characters on one line.
enum PrintableText {
    static let limit = 500

    static func make(_ text: UnsafePointer<CChar>?) -> String {
        guard let text = unsafe text else { return "" }
        return make(unsafe String(cString: text))
    }

    static func make(_ text: String) -> String {
        var shown = ""
        for scalar in text.unicodeScalars.prefix(limit) {
            shown.unicodeScalars.append(scalar.properties.generalCategory == .control ? " " : scalar)
        }
        return shown.trimmed
    }
}

extension String {
    /// Without spaces around it.
    var trimmed: String {
        let start = drop { $0 == " " }
        guard let end = start.lastIndex(where: { $0 != " " }) else { return "" }
        return String(start[...end])
    }
}
