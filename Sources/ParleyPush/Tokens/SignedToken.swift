import OpenSSL
import ParleyProtocol

/// A JSON Web Token by which the gateway names itself to a push service (RFC 7519).
enum SignedToken {
    /// - Parameters:
    ///   - header: what it has beside `alg`.
    static func make(
        by key: some TokenKey, header: (inout JSONWriter) -> Void, claims: (inout JSONWriter) -> Void
    ) throws(TokenError) -> String {
        let header = JSONWriter.object {
            header(&$0)
            $0.member("alg", type(of: key).algorithm)
        }
        let input = CompactToken.signingInput(header: header, claims: JSONWriter.object(claims))
        guard let signature = try? key.sign(input.span) else { throw .notSigned }
        return String(decoding: CompactToken.assemble(signingInput: input, signature: signature), as: UTF8.self)
    }
}

/// A private key that signs tokens.
protocol TokenKey {
    /// `alg` (RFC 7518 §3.1).
    static var algorithm: String { get }

    func sign(_ message: Span<UInt8>) throws(OpenSSLError) -> [UInt8]
}

extension P256.PrivateKey: TokenKey {
    static var algorithm: String { "ES256" }
}

extension RSA.PrivateKey: TokenKey {
    static var algorithm: String { "RS256" }
}

/// Why there is no token to ask a service with.
enum TokenError: Error, Hashable, Sendable {
    case notSigned
}
