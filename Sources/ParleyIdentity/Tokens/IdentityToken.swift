import OpenSSL
import ParleyProtocol

/// An identity token of OpenID Connect in compact form (OpenID Connect Core §2, RFC 7519, RFC 7515 §3.1).
///
/// Parsing checks the form and the header. The claims are untrusted until ``isSigned(by:)`` is true.
struct IdentityToken: Sendable {
    /// In bytes. Usual ones have about 1,000, and those with many claims several thousand.
    static let maximumLength = 8192

    /// The algorithms of RFC 7518 §3.1 that are accepted. A provider must have RS256 (OpenID Connect Core §15.1); no
    /// other is in use but ES256.
    enum Algorithm: String, Hashable, Sendable, CaseIterable {
        case rs256 = "RS256"
        case es256 = "ES256"
    }

    let algorithm: Algorithm
    /// `kid`
    let keyID: String
    let claims: JSONObject
    /// Header and claims as received, with the dot between them.
    let signedBytes: [UInt8]
    let signature: [UInt8]

    init(parsing text: [UInt8]) throws(TokenFault) {
        guard text.count <= IdentityToken.maximumLength else { throw .tooLong }
        let parts = text.split(separator: UInt8(ascii: "."), maxSplits: 3, omittingEmptySubsequences: false)
        guard parts.count == 3, let header = IdentityToken.decode(parts[0]),
            let claims = IdentityToken.decode(parts[1]), let signature = IdentityToken.decode(parts[2])
        else { throw .notCompact }
        guard let header = try? JSONObject(parsing: header, .request(table: nil)) else { throw .headerNotJSON }
        (algorithm, keyID) = try IdentityToken.read(header)
        guard let claims = try? JSONObject(parsing: claims, .request(table: nil)) else { throw .claimsNotJSON }
        self.claims = claims
        signedBytes = Array(text[..<parts[1].endIndex])
        self.signature = signature
    }

    func isSigned(by key: ProviderKey) -> Bool {
        switch (algorithm, key) {
        case (.rs256, .rsa(let key)): key.verifies(signature.span, of: signedBytes.span)
        case (.es256, .p256(let key)): key.verifies(signature.span, of: signedBytes.span)
        case (.rs256, .p256), (.es256, .rsa): false
        }
    }

    private static func decode(_ part: ArraySlice<UInt8>) -> [UInt8]? {
        guard !part.isEmpty else { return nil }
        return Base64URL.decode(Array(part).span)
    }

    /// The members of a header with a key or the URL of one (RFC 7515 §4.1.2 to §4.1.6).
    private static let keyMembers: Set<String> = ["jku", "jwk", "x5u", "x5c"]

    private static func read(_ header: JSONObject) throws(TokenFault) -> (Algorithm, keyID: String) {
        // By name and not by value: `null` does not evade the check.
        let names = Set(header.names)
        guard names.isDisjoint(with: keyMembers) else { throw .keyInHeader }
        guard !names.contains("crit") else { throw .criticalHeader }
        guard let algorithm = try? header.choice("alg", as: Algorithm.self) else { throw .algorithm }
        if names.contains("typ") {
            guard (try? header.text("typ", maximum: 16))?.lowercased() == "jwt" else { throw .type }
        }
        guard let keyID = try? header.text("kid", maximum: ProviderKey.longestID), !keyID.isEmpty else {
            throw .noKeyID
        }
        return (algorithm, keyID)
    }
}
