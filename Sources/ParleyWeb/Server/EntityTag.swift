import ParleyProtocol

/// An entity tag (RFC 9110 §8.8.3), and the conditions that name it. It is strong: it names the bytes.
struct EntityTag: Hashable, Sendable {
    /// With its quotation marks.
    let text: String

    /// - Parameter digest: of the bytes.
    init(_ digest: [UInt8]) {
        var tag = [UInt8(ascii: "\"")]
        Base64URL.append(digest.span, to: &tag)
        tag.append(UInt8(ascii: "\""))
        text = String(decoding: tag, as: UTF8.self)
    }

    /// Whether `If-None-Match` has it or `*` (RFC 9110 §13.1.2): then there is nothing new.
    func isNamed(byIfNoneMatch field: String?) -> Bool {
        guard let field else { return false }
        return field.split(separator: ",").contains { entry in
            var entry = entry.drop { $0 == " " || $0 == "\t" }
            while entry.last == " " || entry.last == "\t" { entry.removeLast() }
            if entry == "*" { return true }
            return (entry.hasPrefix("W/") ? entry.dropFirst(2) : entry) == text[...]
        }
    }

    /// Whether a range is of what the client has: there is no `If-Range`, or it is this tag (RFC 9110 §13.1.5). A date
    /// never is: nothing here has one.
    func permitsRange(ifRange field: String?) -> Bool { field.map { $0 == text } ?? true }
}
