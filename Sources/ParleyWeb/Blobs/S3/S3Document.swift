import ParleyProtocol

/// An answer of the service in XML, of which nothing is needed but texts of elements. It is read as the service writes
/// it: without attributes in what is looked for, comments or sections of characters.
struct S3Document: Sendable {
    private let text: Substring

    init(_ bytes: [UInt8]) { text = String(decoding: bytes, as: UTF8.self)[...] }
    private init(text: Substring) { self.text = text }

    /// The elements of a name, in their order. They hold none of the same name.
    func elements(_ name: String) -> [S3Document] {
        var found: [S3Document] = []
        var rest = text
        while let start = rest.firstRange(of: "<\(name)>"),
            let end = rest[start.upperBound...].firstRange(of: "</\(name)>")
        {
            found.append(S3Document(text: rest[start.upperBound..<end.lowerBound]))
            rest = rest[end.upperBound...]
        }
        return found
    }

    /// The text of the first element of a name.
    func text(_ name: String) -> String? { elements(name).first.map(\.unescaped) }

    /// Whether the document is of this kind, whole, and not the report of an error.
    func isWhole(_ root: String) -> Bool { text.contains("<\(root)") && text.contains("</\(root)>") }

    private var unescaped: String {
        var result = String(text)
        for (entity, character) in [
            ("&quot;", "\""), ("&#34;", "\""), ("&lt;", "<"), ("&gt;", ">"), ("&apos;", "'"), ("&#39;", "'"),
            ("&amp;", "&"),
        ] { result.replace(entity, with: character) }
        return result
    }

    /// The text in the form that an element may hold.
    static func escaped(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
    }

    /// `2026-01-15T09:30:00.000Z`, with or without parts of a second.
    static func time(_ text: String) -> Timestamp? { Timestamp("\(text.prefix(19)).000Z") }
}
