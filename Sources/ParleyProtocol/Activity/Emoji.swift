/// One emoji: a single extended grapheme cluster with a picture, of at most 64 bytes.
public struct Emoji: Hashable, Sendable, CustomStringConvertible {
    public let text: String

    public init?(_ text: String) {
        guard text.utf8.count <= Limits.emojiBytes, text.count == 1, let first = text.unicodeScalars.first,
            first.properties.isEmoji
        else { return nil }
        // Digits and signs are pictures only with a variation selector or a keycap.
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

    public static var schema: FieldSchema {
        .text(1...Limits.emojiBytes, FieldSchema.Pattern(FieldSchema.Pattern.any.expression, example: "👏"))
    }
}
