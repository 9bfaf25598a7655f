import HTTPDoubles
import OpenSSL
import ParleyProtocol
import Synchronization
import TestNames
import TestSupport
import Testing

@testable import ParleyPush

@Suite("A sender and Google's service, over sockets", .ownThreads)
struct FCMExchangeTests {
    private static let target = PushTarget.fcm(token: "device:1")
    private static let granted = HTTPDouble.Reaction.answer(200, body: #"{"access_token":"good","expires_in":3600}"#)

    private static func settings(_ server: HTTPDouble) -> [String: String] {
        ["fcm_account_file": account(tokenURI: server.url("/token")), "fcm_url": "http://127.0.0.1:\(server.port)"]
    }

    private struct Assertion {
        let header: JSONObject
        let claims: JSONObject
        /// Whether the signature is the account's.
        let isSigned: Bool
    }

    /// What a form asks for a token with.
    private static func assertion(of form: String) throws -> Assertion {
        let prefix = "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer&assertion="
        try #require(form.hasPrefix(prefix))
        let parts = form.dropFirst(prefix.count).split(separator: ".", omittingEmptySubsequences: false).map(
            String.init)
        try #require(parts.count == 3)
        let (signature, signed) = (try base64URL(parts[2]), Array("\(parts[0]).\(parts[1])".utf8))
        let pem = Array(TestKeys.rsa.utf8)
        let key = try RSA.PrivateKey(pem: pem.span)
        return Assertion(
            header: try JSONObject(parsing: base64URL(parts[0])), claims: try JSONObject(parsing: base64URL(parts[1])),
            isSigned: key.verifies(signature.span, of: signed.span))
    }

    @Test("an assertion is exchanged for a token once, and notifications go with it")
    func accepted() async throws {
        let server = try HTTPDouble { request in
            request.path == "/token" ? Self.granted : .answer(200, body: #"{"name":"projects/parley-test/messages/1"}"#)
        }
        try await withSender(configuration(Self.settings(server))) { sender, outcomes in
            sender.submit((0..<20).map { delivery(to: Self.target, number: $0) })
            let all = try await outcomes.count(20)
            #expect(all.allSatisfy { $0.answer == .accepted(status: 200) })
        }
        let asked = server.received.filter { $0.path == "/token" }
        #expect(asked.count == 1)
        let sent = server.received.filter { $0.path == "/v1/projects/parley-test/messages:send" }
        #expect(sent.count == 20)
        #expect(sent.allSatisfy { $0["authorization"] == "Bearer good" })
        let form = String(decoding: try #require(asked.first).body, as: UTF8.self)
        let assertion = try Self.assertion(of: form)
        #expect(assertion.isSigned)
        #expect(assertion.header.names == ["alg", "typ", "kid"])
        #expect(try assertion.header.text("alg", maximum: 10) == "RS256")
        #expect(try assertion.header.text("kid", maximum: 10) == "k1")
        #expect(try assertion.claims.text("iss", maximum: 100) == "push@parley-test.iam.example.com")
        #expect(try assertion.claims.text("scope", maximum: 100) == FCMTokens.scope)
        #expect(try assertion.claims.text("aud", maximum: 100) == server.url("/token"))
        let issued = try #require(try assertion.claims.integer("iat", in: 0...Int.max))
        #expect(try assertion.claims.integer("exp", in: 0...Int.max) == issued + 3600)
        server.close()
    }

    @Test("a token that is refused is fetched anew, once")
    func tokenRefused() async throws {
        let fetched = Mutex(0)
        let server = try HTTPDouble { request in
            if request.path == "/token" {
                let number = fetched.withLock { count in
                    count += 1
                    return count
                }
                return .answer(200, body: #"{"access_token":"token\#(number)","expires_in":3600}"#)
            }
            return .answer(request["authorization"] == "Bearer token1" ? 401 : 200)
        }
        let deliveries = (0..<2).map { delivery(to: Self.target, number: $0) }
        let answers = try await answers(to: deliveries, configuration(Self.settings(server)))
        #expect(answers == Array(repeating: .accepted(status: 200), count: 2))
        #expect(fetched.withLock { $0 } == 2)
        server.close()
    }

    @Test(
        "a notification is not sent without a token, is tried with two at most, and ends where its device is gone",
        arguments: [
            (
                .answer(400, body: #"{"error":"invalid_grant","error_description":"Invalid JWT Signature."}"#),
                .answer(200), 1, .later(PushProblem(status: 400, "token: invalid_grant"), after: nil)
            ),
            (granted, .answer(401), 4, .later(PushProblem(status: 401, "HTTP 401"), after: nil)),
            (
                granted,
                .answer(404, body: #"{"error":{"status":"NOT_FOUND","details":[{"errorCode":"UNREGISTERED"}]}}"#), 2,
                .ended(status: 404, since: nil)
            ),
        ] as [(HTTPDouble.Reaction, HTTPDouble.Reaction, Int, PushAnswer)])
    func refused(
        token: HTTPDouble.Reaction, notification: HTTPDouble.Reaction, requests: Int, expected: PushAnswer
    ) async throws {
        let server = try HTTPDouble { $0.path == "/token" ? token : notification }
        #expect(
            try await answer(to: delivery(to: Self.target), configuration(Self.settings(server))) == expected)
        #expect(server.received.count == requests)
        server.close()
    }
}
