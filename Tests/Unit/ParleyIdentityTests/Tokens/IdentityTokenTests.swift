import IdentityDoubles
import OpenSSL
import ParleyProtocol
import TestSupport
import Testing

@testable import ParleyIdentity

@Suite("Identity tokens", .ownThreads)
struct IdentityTokenTests {
    private func keys(_ jwks: String...) throws -> KeySet {
        try #require(KeySet(parsing: Array(#"{"keys":[\#(jwks.joined(separator: ","))]}"#.utf8)))
    }

    private func key(
        _ jwk: String, _ algorithm: IdentityToken.Algorithm
    ) throws -> ProviderKey {
        guard case .found(let key) = try keys(jwk).find("a", algorithm) else { throw NeverCameError("a key") }
        return key
    }

    @Test("the signatures of RFC 7515 are verified, and no others by the same keys")
    func examples() throws {
        let cases: [(String, String, IdentityToken.Algorithm)] = [
            (RFC7515.rs256, RFC7515.rs256JWK, .rs256), (RFC7515.es256, RFC7515.es256JWK, .es256),
        ]
        for (text, jwk, algorithm) in cases {
            let parts = text.split(separator: ".")
            let message = Array((parts[0] + "." + parts[1]).utf8)
            let signature = Base64URL.decode(Array(parts[2].utf8).span) ?? []
            let key = try key(jwk, algorithm)
            let verifies = { (signature: [UInt8], message: [UInt8]) in
                switch key {
                case .rsa(let key): key.verifies(signature.span, of: message.span)
                case .p256(let key): key.verifies(signature.span, of: message.span)
                }
            }
            #expect(verifies(signature, message))
            #expect(!verifies(signature, message + [0]))
            #expect(!verifies(Array(signature.reversed()), message))
            // Its header names no key.
            #expect(throws: TokenFault.noKeyID) { try IdentityToken(parsing: Array(text.utf8)) }
        }
    }

    @Test("a good token of either algorithm says who it is", arguments: [true, false])
    func good(isRSA: Bool) async throws {
        let key = isRSA ? try SigningKey.rsa("k1") : try SigningKey.p256("k1")
        let provider = try ProviderDouble(keys: [key])
        defer { provider.close() }
        try await withProviders([provider.settings()]) { providers in
            let identity = try await providers.result(of: provider.token(key).signed(by: key)).get()
            #expect(identity.provider == .google)
            #expect(identity.subject == "subject-1")
        }
    }

    @Test("a signature of ES256 has a twin, which is as good (RFC 7518 §3.4)")
    func highS() async throws {
        let key = try SigningKey.p256("k1")
        let provider = try ProviderDouble(keys: [key])
        defer { provider.close() }
        try await withProviders([provider.settings()]) { providers in
            let token = provider.token(key)
            let signature = try key.sign(token.signingInput)
            let twin = signature[..<32] + difference(hex(WrongToken.order), Array(signature[32...]))
            #expect(twin != signature[...])
            #expect(await providers.result(of: token.signed(Array(twin))).isSuccess)
        }
    }

    private func difference(_ left: [UInt8], _ right: [UInt8]) -> [UInt8] {
        var borrow = 0
        return zip(left, right).reversed().map { left, right in
            let digit = Int(left) - Int(right) - borrow
            borrow = digit < 0 ? 1 : 0
            return UInt8(truncatingIfNeeded: digit)
        }.reversed()
    }

    @Test(
        "times may be a minute off, several audiences need a party, and both may be ours",
        arguments: [
            ["exp": "\(TokenText.issuedAt + 5 - 59)"], ["iat": "\(TokenText.issuedAt + 5 + 60)"],
            ["nbf": "\(TokenText.issuedAt + 5 + 60)"], ["iat": "\(TokenText.issuedAt + 5 - 600 - 60)"],
            ["iat": "18e8"], ["exp": "1800000600.0"], ["aud": #"["web.example"]"#],
            ["aud": #"["app.example","web.example"]"#, "azp": #""web.example""#], ["azp": #""app.example""#],
            ["sub": "\"\(String(repeating: "s", count: 255))\""], ["unknown": #"{"a":[1,2,{}]}"#],
        ])
    func accepted(_ claims: [String: String]) async throws {
        #expect(try await identity(claims).isSuccess)
    }

    @Test(
        "an address in a token says nothing, whatever it is",
        arguments: [
            ["email_verified": "false"], ["email_verified": "1"], ["email": "7"], ["email": "null"],
            ["email": #""a@b.example\r\nBcc: c@d.example""#],
        ])
    func email(_ claims: [String: String]) async throws {
        #expect(try await identity(claims).get() == identity([:]).get())
    }

    @Test("a nonce is the request's, or its hash, and who has made one says which")
    func nonces() async throws {
        let digest = try sha256(Array("my nonce".utf8)).map { byte in
            (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }.joined()
        #expect(try await identity(["nonce": #""my nonce""#], nonce: "my nonce").isSuccess)
        #expect(try await identity(["nonce": "\"\(digest)\""], nonce: "my nonce").isSuccess)
        let wrong: [(String?, String?, TokenFault)] = [
            (nil, "my nonce", .noNonce), ("\"my nonce\"", nil, .nonceNotGiven), ("\"\"", nil, .nonceNotGiven),
            ("\"other\"", "my nonce", .otherNonce), ("\"my nonce\"", digest, .otherNonce),
            ("\"\(digest.uppercased())\"", "my nonce", .otherNonce), ("\"\"", "my nonce", .otherNonce),
            ("\"\(digest.prefix(32))\"", "my nonce", .otherNonce), ("null", "my nonce", .noNonce),
        ]
        for (claim, given, fault) in wrong {
            let result = try await identity(claim.map { ["nonce": $0] } ?? [:], nonce: given)
            #expect(result == .failure(.token(fault)), "\(claim ?? "-") for \(given ?? "-")")
        }
    }

    @Test("a token of one provider is none of another, and an unknown provider has none")
    func providers() async throws {
        let (one, other) = (try SigningKey.rsa("one"), try SigningKey.rsa("other", isOther: true))
        let (first, second) = (try ProviderDouble(keys: [one]), try ProviderDouble(keys: [other]))
        defer {
            first.close()
            second.close()
        }
        let settings = [try first.settings(name: .apple), try second.settings(name: .google)]
        try await withProviders(settings) { providers in
            #expect(providers.settings.map(\.name) == [.apple, .google])
            let token = try first.token(one).signed(by: one)
            #expect(await providers.result(of: token, of: .apple).isSuccess)
            #expect(await providers.result(of: token, of: .google) == .failure(.token(.unknownKey)))
            // With the other's key, and the claims of the first.
            let mixed = try TokenText(issuer: first.issuer, keyID: "other", algorithm: "RS256").signed(by: other)
            #expect(await providers.result(of: mixed, of: .google) == .failure(.token(.issuer)))
            let unknown = IdentityProviderName("unknown")
            #expect(await providers.result(of: token, of: unknown) == .failure(.unknownProvider))
        }
    }

    @Test("whatever bytes a token has, it is refused", .seeded, arguments: 0..<8)
    func bytes(_ stream: Int) async throws {
        var random = Seeded(stream: UInt64(stream))
        let key = try SigningKey.rsa("k1")
        let provider = try ProviderDouble(keys: [key])
        defer { provider.close() }
        let good = try provider.token(key).signed(by: key)
        let tokens = (0..<200).map { _ in
            var token = good
            for _ in 0..<random.number(1...6) {
                let place = random.number(0...token.count - 1)
                switch random.number(0...2) {
                case 0: token[place] = UInt8.random(in: .min ... .max, using: &random)
                case 1: token.remove(at: place)
                default: token.insert(contentsOf: token[..<place].suffix(9), at: place)
                }
            }
            return token
        }
        try await withProviders([provider.settings()]) { providers in
            #expect(await providers.result(of: good).isSuccess)
            for token in tokens where token != good { #expect(!(await providers.result(of: token).isSuccess)) }
        }
    }

    /// What becomes of a good token with these claims instead.
    private func identity(
        _ claims: [String: String], nonce: String? = nil
    ) async throws -> Result<Identity, IdentityError> {
        let key = try SigningKey.rsa("k1")
        let provider = try ProviderDouble(keys: [key])
        defer { provider.close() }
        return try await withProviders([provider.settings()]) { providers in
            var token = provider.token(key)
            token.claims.merge(claims) { $1 }
            return await providers.result(of: try token.signed(by: key), nonce: nonce)
        }
    }
}
