import OpenSSL
import ParleyProtocol

/// A JSON Web Token signed with P-256 and SHA-256 (RFC 7515, RFC 7518 §3.4).
enum ES256Token {
    /// - Parameters:
    ///   - header: with `alg`, a JSON object.
    ///   - claims: a JSON object.
    static func sign(
        header: [UInt8], claims: [UInt8], key: P256.PrivateKey
    ) throws(TokenError) -> String {
        try CompactToken.make(header: header, claims: claims, sign: key.sign)
    }

    static func object(_ body: (inout JSONWriter) -> Void) -> [UInt8] {
        var writer = JSONWriter()
        writer.object { body(&$0) }
        return writer.finish()
    }
}

/// A JSON Web Token signed with RSA and SHA-256 (RFC 7515, RFC 7518 §3.3).
enum RS256Token {
    /// - Parameters:
    ///   - header: with `alg`, a JSON object.
    ///   - claims: a JSON object.
    static func sign(header: [UInt8], claims: [UInt8], key: RSA.PrivateKey) throws(TokenError) -> String {
        try CompactToken.make(header: header, claims: claims, sign: key.sign)
    }
}

/// The form of both: header, claims and signature in base64url (RFC 7515 §3.1).
private enum CompactToken {
    static func make(
        header: [UInt8], claims: [UInt8], sign: (Span<UInt8>) throws(OpenSSLError) -> [UInt8]
    ) throws(TokenError) -> String {
        var token: [UInt8] = []
        Base64URL.append(header.span, to: &token)
        token.append(UInt8(ascii: "."))
        Base64URL.append(claims.span, to: &token)
        guard let signature = try? sign(token.span) else { throw .notSigned }
        token.append(UInt8(ascii: "."))
        Base64URL.append(signature.span, to: &token)
        return String(decoding: token, as: UTF8.self)
    }
}

/// Why there is no token to ask a service with.
enum TokenError: Error, Hashable, Sendable {
    case notSigned
}
