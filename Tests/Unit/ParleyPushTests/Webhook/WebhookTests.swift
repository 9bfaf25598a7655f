import ParleyProtocol
import Sodium
import TestNames
import TestSupport
import Testing

@testable import ParleyPush

/// Protocol §7, `webhook`.
@Suite("Webhooks")
struct WebhookTests {
    private static func request(_ delivery: PushDelivery) throws -> PushRequest {
        guard case .webhook(let endpoint, let secret) = delivery.target else { throw NeverCameError("a webhook") }
        return Webhook.request(delivery, to: endpoint, secret: secret)
    }

    @Test("the signature is of time and body by the secret")
    func signatureTimeBodySecret() throws {
        let request = try Self.request(delivery(to: webhook("https://example.com/hook?x=1")))
        #expect(request.url == "https://example.com/hook?x=1")
        #expect(request["Content-Type"] == "application/json")
        #expect(request["Parley-Id"] == notificationID(1).description)
        let seconds = at(0).milliseconds / 1000
        let signed = Array("\(seconds).".utf8) + request.body
        let secret = Array("0123456789abcdef".utf8)
        let tag = try HMACSHA256.authenticate(signed.span, key: secret.span).withBytes { tag in
            tag.indices.map { tag[$0] }
        }
        let digits = tag.map { byte in String(byte >> 4, radix: 16) + String(byte & 15, radix: 16) }.joined()
        #expect(request["Parley-Signature"] == "t=\(seconds),v1=\(digits)")
    }

    @Test("the signature is that of another program")
    func signatureAnotherProgram() throws {
        // printf '1768467600.{"a":1}' | openssl dgst -sha256 -hmac 'sixteen chars!!!'
        #expect(
            try Webhook.signature(of: Array(#"{"a":1}"#.utf8), at: at(0), secret: "sixteen chars!!!")
                == "t=1768467600,v1=43beec4ba4f45121162454c510ec90fe4b28b1be51cc14dfaff70bec6eba8014")
    }

    @Test(
        "the URL is written anew from what was read",
        arguments: [
            ("https://example.com", "https://example.com/"), ("https://EXAMPLE.com:443/a", "https://example.com/a"),
            ("https://example.com:8443?q=/x", "https://example.com:8443/?q=/x"),
            ("https://[2001:db8::1]/%20", "https://[2001:db8::1]/%20"),
        ])
    func urlWrittenAnewFrom(_ text: String, _ url: String) throws {
        let endpoint = try #require(WebURL(text))
        #expect(endpoint.url == url)
        // However it is written, it belongs to one device.
        #expect(PushTarget.webhook(endpoint, secret: "0123456789abcdef").address == url)
    }

    @Test("a body has at most 4096 bytes")
    func bodyHasMost4096Bytes() throws {
        for count in stride(from: 2300, through: 3200, by: 7) {
            let request = try Self.request(
                delivery(to: webhook("https://example.com/"), message: record(contentBytes: count)))
            #expect(request.body.count <= 4096)
            let object = try JSONObject(parsing: request.body)
            #expect(try object.uuid("conversation_id", as: ConversationID.self) == conversation)
        }
        let long = try Self.request(
            delivery(to: webhook("https://example.com/"), message: record(contentBytes: 60_000)))
        #expect(try JSONObject(parsing: long.body).isNull("message"))
    }
}
