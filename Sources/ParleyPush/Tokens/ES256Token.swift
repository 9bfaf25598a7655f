import Crypto
import ParleyProtocol

/// A JSON Web Token signed with P-256 and SHA-256 (RFC 7515, RFC 7518 §3.4).
enum ES256Token {
    /// - Parameters:
    ///   - header: with `alg`, a JSON object.
    ///   - claims: a JSON object.
    static func sign(
        header: [UInt8], claims: [UInt8], key: P256.Signing.PrivateKey
    ) throws(TokenError) -> String {
        var token: [UInt8] = []
        Base64URL.append(header.span, to: &token)
        token.append(UInt8(ascii: "."))
        Base64URL.append(claims.span, to: &token)
        guard let signature = try? key.signature(for: token) else { throw .notSigned }
        token.append(UInt8(ascii: "."))
        Base64URL.append(Array(signature.rawRepresentation).span, to: &token)
        return String(decoding: token, as: UTF8.self)
    }

    static func object(_ body: (inout JSONWriter) -> Void) -> [UInt8] {
        var writer = JSONWriter()
        writer.object { body(&$0) }
        return writer.finish()
    }
}

/// Why there is no token to ask a service with.
enum TokenError: Error, Hashable, Sendable {
    case notSigned
}
