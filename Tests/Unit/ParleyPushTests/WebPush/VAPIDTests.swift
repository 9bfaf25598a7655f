import OpenSSL
import ParleyProtocol
import TestNames
import TestSupport
import Testing

@testable import ParleyPush

@Suite("The tokens of Web Push")
struct VAPIDTests {
    private static let subject = "mailto:push@example.com"

    /// Verifies the value of `Authorization` as a push service does.
    static func verify(_ header: String, audience: String, now: Timestamp) throws {
        let parts = header.dropFirst("vapid ".count).split(separator: ", ")
        let token = try #require(parts.first { $0.hasPrefix("t=") }).dropFirst(2)
        let key = try base64URL(String(try #require(parts.first { $0.hasPrefix("k=") }).dropFirst(2)))
        let claims = try verify(String(token), key: key)
        #expect(try claims.text("aud", maximum: 300) == audience)
        let expires = try #require(try claims.integer("exp", in: 0...Int.max))
        #expect((1...86_400).contains(expires - Int(now.milliseconds / 1000)))
        #expect(try claims.text("sub", maximum: 300) == subject)
    }

    /// The claims of a token whose signature is that of the key.
    static func verify(_ token: String, key: [UInt8]) throws -> JSONObject {
        let parts = token.split(separator: ".")
        try #require(parts.count == 3)
        let signature = try base64URL(String(parts[2]))
        let signed = Array("\(parts[0]).\(parts[1])".utf8)
        let isValid = try P256.PublicKey(key).verifies(signature.span, of: signed.span)
        #expect(isValid)
        return try JSONObject(parsing: base64URL(String(parts[1])))
    }

    /// RFC 8292 §2.4: its signature is verified, and what is signed here is the same but for the signature.
    @Test("the token is that of the example")
    func tokenExample() throws {
        let token = """
            eyJ0eXAiOiJKV1QiLCJhbGciOiJFUzI1NiJ9.eyJhdWQiOiJodHRwczovL3B1c2guZXhhbXBsZS5uZXQiLCJleHAiOjE0NTM1MjM3\
            NjgsInN1YiI6Im1haWx0bzpwdXNoQGV4YW1wbGUuY29tIn0.i3CYb7t4xfxCDquptFOepC9GAu_HLGkMlMuCGSK2rpiUfnK9ojFwDXb\
            1JrErtmysazNjjvW2L9OkSSHzvoD1oA
            """
        let key = try base64URL(
            "BA1Hxzyi1RUM1b5wjxsn7nGxAszw2u61m164i3MrAIxHF6YK5h4SDYic-dRuU_RCPCfA5aq9ojSwk5Y2EmClBPs")
        let claims = try Self.verify(token, key: key)
        #expect(try claims.text("aud", maximum: 100) == "https://push.example.net")
        let own = try VAPIDKey(privateKey: VAPIDKey.makePrivateKey())
        let ours = try VAPIDTokens.sign(audience: "https://push.example.net", expires: 1_453_523_768, Self.subject, own)
        #expect(ours.split(separator: ".").dropLast() == token.split(separator: ".").dropLast())
        _ = try Self.verify(ours, key: own.key.publicKey.bytes)
    }

    @Test("a token serves its origin for hours")
    func tokenServesOriginHours() throws {
        let key = try VAPIDKey(privateKey: VAPIDKey.makePrivateKey())
        let tokens = VAPIDTokens(key: key, subject: Self.subject, origins: 8)
        let first = try tokens.authorization(for: "https://a.example", now: at(0))
        try Self.verify(first, audience: "https://a.example", now: at(0))
        #expect(first.hasSuffix(", k=\(key.publicKeyText)"))
        #expect(try tokens.authorization(for: "https://a.example", now: at(.seconds(10 * 3600))) == first)
        #expect(try tokens.authorization(for: "https://b.example", now: at(0)) != first)
        let later = try tokens.authorization(for: "https://a.example", now: at(.seconds(11 * 3600 + 1)))
        #expect(later != first)
        try Self.verify(later, audience: "https://a.example", now: at(.seconds(11 * 3600 + 1)))
        // A clock that was set back would have tokens of more than a day.
        #expect(try tokens.authorization(for: "https://a.example", now: at(0)) != later)
    }
}
