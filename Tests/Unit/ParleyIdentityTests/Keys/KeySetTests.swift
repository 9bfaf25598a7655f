import HTTPClient
import IdentityDoubles
import ParleyProtocol
import TestSupport
import Testing

@testable import ParleyIdentity

@Suite("Sets of keys")
struct KeySetTests {
    private static let goodKey = SigningKey.rsaJWK("good", modulus: SigningKey.modulus)

    private func isFound(_ id: String, _ algorithm: IdentityToken.Algorithm = .rs256, in json: String) -> Bool {
        guard case .found? = KeySet(parsing: Array(json.utf8))?.find(id, algorithm) else { return false }
        return true
    }

    private static let point = RFC7515.es256JWK

    @Test(
        "what is no key of ours is passed over, and the good one beside it counts",
        arguments: [
            "7", "null", #""text""#, "[]", "{}", #"{"kid":"bad"}"#, #"{"kid":"bad","kty":"oct","k":"AAAA"}"#,
            SigningKey.rsaJWK("bad", modulus: SigningKey.smallModulus),
            SigningKey.rsaJWK("bad", modulus: SigningKey.largeModulus),
            SigningKey.rsaJWK("bad", modulus: SigningKey.modulus, exponent: "AQ"),
            SigningKey.rsaJWK("bad", modulus: SigningKey.modulus, exponent: "Aw"),
            SigningKey.rsaJWK("bad", modulus: SigningKey.modulus, exponent: "AQAA"),
            SigningKey.rsaJWK("bad", modulus: SigningKey.modulus, exponent: "AAEAAQ"),
            SigningKey.rsaJWK("bad", modulus: SigningKey.modulus, exponent: "AQAAAAE"),
            SigningKey.rsaJWK("bad", modulus: SigningKey.modulus, exponent: ""),
            SigningKey.rsaJWK("bad", modulus: "AAAA" + SigningKey.modulus),
            SigningKey.rsaJWK("bad", modulus: SigningKey.modulus + "="),
            SigningKey.rsaJWK("bad", modulus: String(SigningKey.modulus.dropLast(2))),
            SigningKey.rsaJWK("bad", modulus: String(repeating: "-", count: 100_000)),
            goodKey.replacing("good", with: "bad").replacing("RS256", with: "PS256"),
            goodKey.replacing("good", with: "bad").replacing(#""sig""#, with: #""enc""#),
            goodKey.replacing("good", with: "bad").replacing(#""use":"sig""#, with: #""key_ops":["sign"]"#),
            goodKey.replacing("good", with: "bad").replacing(#""use":"sig""#, with: #""d":"AQAB""#),
            goodKey.replacing(#""good""#, with: "7"), goodKey.replacing(#""kid":"good","#, with: ""),
            goodKey.replacing("good", with: String(repeating: "k", count: 256)),
            point.replacing(#""a""#, with: #""bad""#).replacing("P-256", with: "P-384"),
            point.replacing(#""a""#, with: #""bad""#).replacing("P-256", with: "secp256k1"),
            point.replacing(#""a""#, with: #""bad""#).replacing("x_FE", with: "x_FF"),
            point.replacing(#""a""#, with: #""bad""#).replacing("f83O", with: "AAAAf83O"),
            point.replacing(#""a""#, with: #""bad""#).replacing("EC", with: "OKP"),
        ])
    func junk(_ entry: String) {
        let set = #"{"keys":[\#(entry),\#(KeySetTests.goodKey)],"more":{"keys":[]}}"#
        #expect(isFound("good", in: set))
        for algorithm in IdentityToken.Algorithm.allCases { #expect(!isFound("bad", algorithm, in: set)) }
        // Alone it is no set of keys at all.
        #expect(KeySet(parsing: Array(#"{"keys":[\#(entry)]}"#.utf8)) == nil)
    }

    @Test(
        "a key counts with what a provider may add and leave out",
        arguments: [
            goodKey, goodKey.replacing(#","use":"sig""#, with: ""), goodKey.replacing(#","alg":"RS256""#, with: ""),
            goodKey.replacing(#""use":"sig""#, with: #""key_ops":["verify"],"x5t":"a","x5c":["b"]"#),
        ])
    func accepted(_ entry: String) { #expect(isFound("good", in: #"{"keys":[\#(entry)]}"#)) }

    @Test("what is no set is none", arguments: ["", "x", "[]", "{}", #"{"keys":{}}"#, #"{"keys":[]}"#, "<html>"])
    func none(_ text: String) { #expect(KeySet(parsing: Array(text.utf8)) == nil) }

    @Test("two keys of one id are told apart by their algorithm, and of 65 keys the last is too much")
    func several() throws {
        let point = try SigningKey.p256("good").jwk
        let both = #"{"keys":[\#(point),\#(KeySetTests.goodKey)]}"#
        #expect(isFound("good", .rs256, in: both))
        #expect(isFound("good", .es256, in: both))
        let many = (0..<65).map { SigningKey.rsaJWK("k\($0)", modulus: SigningKey.modulus) }.joined(separator: ",")
        #expect(isFound("k63", in: #"{"keys":[\#(many)]}"#))
        #expect(!isFound("k64", in: #"{"keys":[\#(many)]}"#))
    }

    @Test(
        "how long an answer may be kept is read from its headers",
        arguments: [
            ("max-age=600", nil, 600), ("public, max-age=21600, must-revalidate", nil, 21_600), ("MAX-AGE=7", nil, 7),
            ("max-age=600", "100", 500), ("max-age=600", "601", 0), ("no-store, max-age=600", nil, 0),
            ("no-cache", nil, 0), ("max-age=", nil, 0), ("max-age=-1", nil, 0), ("max-age=99999999999", nil, 0),
            ("max-age=9999999999", nil, 9_999_999_999), ("max-age=x", nil, 0), ("", nil, 0), (nil, nil, 0),
            ("max-age=600", "x", 600),
        ] as [(String?, String?, Int)])
    func lifetime(cacheControl: String?, age: String?, seconds: Int) {
        let read = KeyLifetime.read(cacheControl: cacheControl, age: age)
        #expect(read == .seconds(seconds))
    }
}
