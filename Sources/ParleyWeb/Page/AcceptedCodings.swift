/// The encodings of content that a client takes (RFC 9110 §12.5.3).
struct AcceptedCodings {
    /// Whether gzip is among them, by its name.
    let hasGzip: Bool

    /// - Parameter fields: the values of `Accept-Encoding`. What is no coding is passed over.
    init(_ fields: [String]) {
        hasGzip = fields.joined(separator: ",").lowercased().split(separator: ",").contains { entry in
            let parts = entry.split(separator: ";").map { $0.drop { $0 == " " || $0 == "\t" } }
            guard let coding = parts.first, ["gzip", "x-gzip"].contains(AcceptedCodings.trimmed(coding)) else {
                return false
            }
            // A weight of zero refuses it (§12.4.2).
            return !parts.dropFirst().contains { part in
                part.hasPrefix("q=") && AcceptedCodings.trimmed(part.dropFirst(2)).allSatisfy { "0.".contains($0) }
            }
        }
    }

    private static func trimmed(_ text: Substring) -> Substring {
        var text = text
        while text.last == " " || text.last == "\t" { text.removeLast() }
        return text
    }
}
