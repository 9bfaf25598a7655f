import OpenSSL
import ParleyProtocol

/// A token as somebody writes it, right or wrong. A member is the JSON of a value.
package struct TokenText: Sendable {
    package static let issuedAt = 1_800_000_000
    package static let now = Timestamp(milliseconds: Int64(issuedAt + 5) * 1000)

    /// In seconds since 1970, as it would be without a change of claims.
    package let issuedAt: Int
    package var header: [String: String]
    package var claims: [String: String]
    /// Instead of the members above.
    package var headerJSON: String?
    package var claimsJSON: String?

    package init(
        issuer: String, audience: String = "app.example", keyID: String, algorithm: String,
        issuedAt: Int = TokenText.issuedAt
    ) {
        self.issuedAt = issuedAt
        header = ["alg": #""\#(algorithm)""#, "kid": #""\#(keyID)""#, "typ": #""JWT""#]
        claims = [
            "iss": #""\#(issuer)""#, "aud": #""\#(audience)""#, "sub": #""subject-1""#, "iat": "\(issuedAt)",
            "exp": "\(issuedAt + 600)", "email": #""Alice@Example.com""#, "email_verified": "true",
        ]
    }

    package var signingInput: [UInt8] {
        CompactToken.signingInput(
            header: Array((headerJSON ?? TokenText.json(header)).utf8),
            claims: Array((claimsJSON ?? TokenText.json(claims)).utf8))
    }

    package func signed(by key: SigningKey) throws -> [UInt8] { signed(try key.sign(signingInput)) }

    package func signed(_ signature: [UInt8]) -> [UInt8] {
        CompactToken.assemble(signingInput: signingInput, signature: signature)
    }

    private static func json(_ members: [String: String]) -> String {
        "{" + members.map { #""\#($0)":\#($1)"# }.joined(separator: ",") + "}"
    }
}

/// HMAC with SHA-256 (RFC 2104), for tokens that take a public key for a secret.
package func hmac(_ message: [UInt8], key: [UInt8]) throws -> [UInt8] {
    let key = (key.count > 64 ? try sha256(key) : key)
    let block = key + [UInt8](repeating: 0, count: 64 - key.count)
    return try sha256(block.map { $0 ^ 0x5C } + sha256(block.map { $0 ^ 0x36 } + message))
}

package func sha256(_ bytes: [UInt8]) throws -> [UInt8] {
    var hash = try SHA256.begin()
    try hash.update(bytes.span)
    return try hash.finish()
}
