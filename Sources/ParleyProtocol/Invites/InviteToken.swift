/// What opens a group to whoever has it: 128 random bits, as 22 characters of base64url without padding.
public struct InviteToken: Hashable, Sendable, CustomStringConvertible {
    package static let length = 16

    /// 16 bytes.
    package let bytes: [UInt8]

    /// - Returns: `nil` unless these are 16 bytes.
    package init?(bytes: [UInt8]) {
        guard bytes.count == InviteToken.length else { return nil }
        self.bytes = bytes
    }

    /// - Returns: `nil` for whatever no token is spelled like.
    public init?(_ text: String) {
        guard let bytes = Base64URL.decode(text.utf8Span.span) else { return nil }
        self.init(bytes: bytes)
    }

    public var description: String { Base64URL.text(of: bytes.span) }
}

extension InviteToken: JSONReadable {
    public func write(to writer: inout JSONWriter) { description.write(to: &writer) }

    /// - Throws: `invite_invalid` for a text that no token is spelled like.
    public static func read(_ name: String, of object: JSONObject) throws(Rejection) -> InviteToken? {
        guard let text = try object.text(name, maximum: Limits.requestBytes) else { return nil }
        guard let token = InviteToken(text) else { throw .inviteInvalid }
        return token
    }
}

/// A link that carries a token: `parley://group/invite/{token}`, or one that begins with a prefix that the gateway's
/// operator has set and ends in the token.
public enum InviteLink {
    /// What links begin with where the operator has set nothing else.
    public static let prefix = "parley://group/invite/"

    /// The token of a link; `nil` for what is no link to an invite.
    ///
    /// Of an `https` link the last level of its path counts: which prefix the operator has set is not known here.
    public static func token(in link: String) -> InviteToken? {
        if link.hasPrefix(prefix) { return InviteToken(String(link.dropFirst(prefix.count))) }
        guard link.hasPrefix("https://"), let last = link.split(separator: "/").last else { return nil }
        return InviteToken(String(last))
    }
}
