/// One emoji: a single character as people see it (Unicode's extended grapheme cluster) that is shown as a picture, of
/// at most 64 bytes.
public struct Emoji: Hashable, Sendable, CustomStringConvertible {
    public let text: String

    /// - Returns: `nil` for any other text.
    public init?(_ text: String) {
        guard text.utf8.count <= Limits.emojiBytes, text.count == 1, let first = text.unicodeScalars.first,
            first.properties.isEmoji
        else { return nil }
        // Digits and signs are pictures only where the text says so.
        let isPicture =
            first.properties.isEmojiPresentation
            || text.unicodeScalars.contains { $0.value == 0xFE0F || $0.value == 0x20E3 }
        guard isPicture else { return nil }
        self.text = text
    }

    public var description: String { text }
}

extension Emoji: JSONReadable {
    public func write(to writer: inout JSONWriter) { text.write(to: &writer) }

    public static func read(_ name: String, of object: JSONObject) throws(Rejection) -> Emoji? {
        guard let text = try object.text(name, maximum: Limits.emojiBytes) else { return nil }
        guard let emoji = Emoji(text) else { throw .badRequest(name, "not one emoji") }
        return emoji
    }
}
