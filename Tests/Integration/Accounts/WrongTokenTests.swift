import IdentityDoubles
import OpenSSL
import ParleyProtocol
import TestSupport
import Testing

/// Identity tokens that are not to be taken, at a whole gateway.
@Suite("Wrong identity tokens at a gateway", .ownThreads)
struct WrongTokenTests {
    @Test("each is refused, all of them with one answer, and nobody has an account by it")
    func refused() throws {
        let site = try ProviderGateway()
        let device = try site.gateway.connect(
            try site.signIn(try site.token(of: "s1"), ["user_id": "dave"]).credentials)
        var answers: Set<JSON> = []
        for wrong in WrongToken.all {
            let bytes = try wrong.make(.init(rsa: site.rsa, p256: site.p256, token: site.text()))
            // Nothing at all is no token, and is refused as a field.
            guard !bytes.isEmpty else { continue }
            let token = String(decoding: bytes, as: UTF8.self)
            let reply = try site.signIn(token, ["user_id": "mallory"])
            #expect(reply.refusal == "unauthenticated", "\(wrong): \(reply)")
            answers.insert(reply["error"])
            let link: JSON = ["id": .string(newID()), "provider": "acme", "id_token": .string(token)]
            #expect(try device.refusal("account/link", link) == "forbidden", "\(wrong)")
        }
        #expect(answers.count == 1, "\(answers)")
        // The good one that they were made from is taken, and the name is still to be had.
        #expect(
            try site.signIn(try site.token(of: "subject-1"), ["user_id": "mallory"]).credentials.username == "mallory")
    }

    @Test("a nonce is there in both places and the same, or in neither")
    func nonces() throws {
        let site = try ProviderGateway()
        func signIn(_ claim: String?, given: String?) throws -> String? {
            let token = try site.token(of: "s1") { $0.claims["nonce"] = claim.map { #""\#($0)""# } }
            var fields: JSON = ["user_id": "dave"]
            if let given { fields["nonce"] = .string(given) }
            return try site.signIn(token, fields).refusal
        }
        let digest = try sha256(Array("n-1".utf8)).map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }
        #expect(try signIn("n-1", given: "n-1") == nil)
        #expect(try signIn(digest.joined(), given: "n-1") == nil)
        #expect(try signIn(nil, given: nil) == nil)
        for (claim, given) in [("n-1", "n-2"), ("n-1", nil), (nil, "n-1"), ("n-1", "N-1"), ("n-1", digest.joined())] {
            #expect(
                try signIn(claim, given: given) == "unauthenticated", "\(claim ?? "none"), \(given ?? "none given")")
        }
    }

    @Test("a provider's key of another kind, for another use or of no use, opens nothing")
    func wrongKeys() throws {
        let rsa = try SigningKey.rsa("r")
        let good = rsa.jwk
        let keys: [String: String] = [
            "enc": good.replacing(#""use":"sig""#, with: #""use":"enc""#),
            "oct": #"{"kty":"oct","kid":"r","use":"sig","k":"AAAA"}"#,
            "ps256": good.replacing("RS256", with: "PS256"),
            "hs256": good.replacing("RS256", with: "HS256"),
            "es256": good.replacing("RS256", with: "ES256"),
            "ec": good.replacing(#""kty":"RSA""#, with: #""kty":"EC""#),
            "private": good.dropLast() + #","d":"AQAB"}"#,
            "ops": good.dropLast() + #","key_ops":["encrypt"]}"#,
            "small": SigningKey.rsaJWK("r", modulus: SigningKey.smallModulus),
            "exponent": SigningKey.rsaJWK("r", modulus: SigningKey.modulus, exponent: "AQ"),
            "case": good.replacing(#""kid":"r""#, with: #""kid":"R""#),
            "nameless": good.replacing(#""kid":"r","#, with: ""),
        ]
        // The other key keeps the set of use: without it the provider counts as one that does not answer.
        var doubles: [String: ProviderDouble] = [:]
        for (name, key) in keys {
            let double = try ProviderDouble(keys: [])
            double.publish([key, try SigningKey.p256("p").jwk])
            doubles[name] = double
        }
        doubles["empty"] = try ProviderDouble(keys: [])
        defer { for double in doubles.values { double.close() } }
        let site = try ProviderGateway(doubles)
        for (name, double) in doubles {
            let token = String(decoding: try site.text(of: double).signed(by: rsa), as: UTF8.self)
            let reply = try site.signIn(token, at: name, ["user_id": "mallory"])
            #expect(reply.refusal == (name == "empty" ? "unavailable" : "unauthenticated"), "\(name): \(reply)")
        }
        #expect(try site.signIn("x.y.z", at: "nobody").refusal == "not_found")
        #expect(try site.signIn("x.y.z", at: "email").refusal == "not_found")
    }
}
