/// The secret that admits its holder to a group: 128 random bits, as 22 characters of base64url without padding.
public struct InviteToken: Hashable, Sendable, CustomStringConvertible {
    package static let length = 16

    /// 16 bytes.
    package let bytes: [UInt8]

    /// - Returns: `nil` unless these are 16 bytes.
    package init?(bytes: [UInt8]) {
        guard bytes.count == InviteToken.length else { return nil }
        self.bytes = bytes
    }

    public init?(_ text: String) {
        guard let bytes = Base64URL.decode(text.utf8Span.span) else { return nil }
        self.init(bytes: bytes)
    }

    public var description: String { Base64URL.text(of: bytes.span) }
}

extension InviteToken: JSONReadable {
    public func write(to writer: inout JSONWriter) { description.write(to: &writer) }

    /// - Throws: `invite_invalid` for a text of any other form.
    public static func read(_ name: String, of object: JSONObject) throws(Rejection) -> InviteToken? {
        guard let text = try object.text(name, maximum: Limits.requestBytes) else { return nil }
        guard let token = InviteToken(text) else { throw .inviteInvalid }
        return token
    }

    public static var schema: FieldSchema { .base64URL(length) }
}

/// A link with a token: `parley://group/invite/{token}`, or the operator's own prefix and the token.
public enum InviteLink {
    /// The prefix of links unless the operator has set another.
    public static let prefix = "parley://group/invite/"

    /// `nil` for a link that is no invite.
    ///
    /// In an `https` link the token is the last level of the path: the operator's prefix is not known here.
    public static func token(in link: String) -> InviteToken? {
        if link.hasPrefix(prefix) { return InviteToken(String(link.dropFirst(prefix.count))) }
        guard link.hasPrefix("https://"), let last = link.split(separator: "/").last else { return nil }
        return InviteToken(String(last))
    }
}
