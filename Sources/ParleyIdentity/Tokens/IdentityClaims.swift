import OpenSSL
import ParleyProtocol

/// The requirements of a valid token.
struct TokenExpectation: Sendable {
    let provider: IdentityProviderName
    let issuer: String
    let audiences: Set<String>
    /// From `iat` on.
    let maximumAge: Duration
    /// The nonce of the request, if the app made one.
    let nonce: String?
    let now: Timestamp

    /// The tolerance for clocks that differ.
    static let leeway: Duration = .seconds(60)
}

/// The claims of a token whose signature was verified.
struct IdentityClaims: Sendable {
    private let issuer: String
    private let audiences: [String]
    private let authorizedParty: String?
    private let subject: String
    private let issuedAt: Timestamp
    private let expiresAt: Timestamp
    private let notBefore: Timestamp?
    private let nonce: String?

    init(_ claims: JSONObject) throws(TokenFault) {
        do {
            issuer = try claims.text("iss", maximum: 2048).required("iss")
            audiences = try IdentityClaims.audiences(claims)
            authorizedParty = try claims.text("azp", maximum: 255)
            // Ours are ASCII, and other characters can be equal to some of it (`String` compares as Unicode does).
            guard ([issuer] + audiences + [authorizedParty ?? ""]).allSatisfy({ $0.utf8.allSatisfy { $0 < 0x80 } })
            else { throw TokenFault.malformedClaim }
            issuedAt = try IdentityClaims.time("iat", claims).required("iat")
            expiresAt = try IdentityClaims.time("exp", claims).required("exp")
            notBefore = try IdentityClaims.time("nbf", claims)
            nonce = try claims.text("nonce", maximum: 255)
        } catch {
            throw .malformedClaim
        }
        guard let subject = try? claims.text("sub", maximum: 255) else { throw .subject }
        self.subject = subject
    }

    /// The identity, if the claims are as expected (OpenID Connect Core §3.1.3.7, from 2 on).
    func identity(_ expected: TokenExpectation) throws(TokenFault) -> Identity {
        guard issuer == expected.issuer else { throw .issuer }
        try check(audiencesAmong: expected.audiences)
        try check(timesAt: expected.now, expected.maximumAge)
        try check(nonce: expected.nonce)
        guard let identity = Identity(provider: expected.provider, subject: subject) else { throw .subject }
        return identity
    }

    /// Every audience and the authorized party are ours; of several audiences, a party is the authorized one.
    private func check(audiencesAmong ours: Set<String>) throws(TokenFault) {
        guard !audiences.isEmpty, audiences.allSatisfy(ours.contains) else { throw .audience }
        if let authorizedParty {
            guard ours.contains(authorizedParty) else { throw .authorizedParty }
        } else if audiences.count > 1 {
            throw .authorizedParty
        }
    }

    private func check(timesAt now: Timestamp, _ maximumAge: Duration) throws(TokenFault) {
        let (early, late) = (
            now.advanced(by: .zero - TokenExpectation.leeway), now.advanced(by: TokenExpectation.leeway)
        )
        guard early < expiresAt else { throw .expired }
        guard issuedAt <= late else { throw .issuedInFuture }
        guard (notBefore ?? issuedAt) <= late else { throw .notYetValid }
        guard early <= issuedAt.advanced(by: maximumAge) else { throw .tooOld }
    }

    /// Equal to the request's, or to its SHA-256 in lower-case hexadecimal digits, which apps send to Apple.
    private func check(nonce given: String?) throws(TokenFault) {
        switch (nonce, given) {
        case (nil, nil): return
        case (nil, _?): throw .noNonce
        case (_?, nil): throw .nonceNotGiven
        case (let nonce?, let given?):
            guard Array(nonce.utf8) == Array(given.utf8) || nonce == IdentityClaims.digest(of: given) else {
                throw .otherNonce
            }
        }
    }

    private static func digest(of text: String) -> String? {
        let bytes = Array(text.utf8)
        guard var hash = try? SHA256.begin(), (try? hash.update(bytes.span)) != nil, let digest = try? hash.finish()
        else { return nil }
        return digest.map { byte in
            let digits = String(byte, radix: 16)
            return byte < 16 ? "0" + digits : digits
        }.joined()
    }

    /// One text, or 1 to 16 of them.
    private static func audiences(_ claims: JSONObject) throws(Rejection) -> [String] {
        if let one = try? claims.text("aud", maximum: 255) { return [one] }
        return try claims.texts("aud", maximum: 16, length: 255).required("aud")
    }

    /// Whole seconds since 1970 (RFC 7519 §2).
    private static func time(_ name: String, _ claims: JSONObject) throws(Rejection) -> Timestamp? {
        try claims.integer(name, in: 0...253_402_300_799).map { Timestamp(milliseconds: Int64($0) * 1000) }
    }
}
