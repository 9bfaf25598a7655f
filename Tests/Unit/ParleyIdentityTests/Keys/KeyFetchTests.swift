import HTTPDoubles
import IdentityDoubles
import ParleyProtocol
import TestSupport
import Testing

@testable import ParleyIdentity

@Suite("Keys that are fetched from providers", .ownThreads)
struct KeyFetchTests {
    @Test("many checks at once share one fetch of each document, and later ones need none")
    func shared() async throws {
        let key = try SigningKey.rsa("k1")
        let provider = try ProviderDouble(keys: [key])
        defer { provider.close() }
        let token = try provider.token(key).signed(by: key)
        try await withProviders([provider.settings()]) { providers in
            let good = await withTaskGroup(of: Bool.self) { group in
                for _ in 0..<100 { group.addTask { await providers.result(of: token).isSuccess } }
                return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
            }
            #expect(good == 100)
            #expect(await providers.result(of: token).isSuccess)
            #expect((provider.documentFetches, provider.keyFetches) == (1, 1))
        }
    }

    @Test("a key that a provider has begun to use is known within a minute, and one that it has ended counts no more")
    func rotation() async throws {
        let (old, new) = (try SigningKey.rsa("old"), try SigningKey.rsa("new", isOther: true))
        let provider = try ProviderDouble(keys: [old])
        defer { provider.close() }
        provider.setCacheControl("max-age=3600")
        let clock = TestClock()
        try await withProviders([provider.settings()], clock: clock) { providers in
            let tokens = (try provider.token(old).signed(by: old), try provider.token(new).signed(by: new))
            #expect(await providers.result(of: tokens.0).isSuccess)
            provider.publish([old, new])
            for _ in 0..<3 { #expect(await providers.result(of: tokens.1) == .failure(.token(.unknownKey))) }
            #expect(provider.keyFetches == 1)
            clock.advance(by: .seconds(60))
            #expect(await providers.result(of: tokens.1).isSuccess)
            #expect(await providers.result(of: tokens.0).isSuccess)
            #expect(provider.keyFetches == 2)
            provider.publish([new])
            clock.advance(by: .seconds(3599))
            #expect(await providers.result(of: tokens.0).isSuccess)
            clock.advance(by: .seconds(1))
            #expect(await providers.result(of: tokens.0) == .failure(.token(.unknownKey)))
            #expect(await providers.result(of: tokens.1).isSuccess)
            #expect(provider.keyFetches == 3)
        }
    }

    @Test(
        "a provider that answers with anything else has no keys, and is asked again",
        arguments: [
            .answer(404), .answer(500, body: "{}"), .answer(302, [("Location", "/keys")]), .answer(204),
            .answer(301, [("Location", "https://other.example/keys")]), .answer(200, body: "<html>Hello</html>"),
            .answer(200), .answer(200, body: "{}"), .answer(200, body: #"{"keys":[]}"#),
            .answer(200, body: #"{"keys":[{"kid":"k1"}]}"#), .bytes(""), .bytes("HTTP/1.1 200 OK\r\n"),
            .bytes("HTTP/1.1 200 OK\r\nContent-Length: 900\r\n\r\n{\"keys\":["), .endless(200),
            .bytes("220 mail.example ESMTP\r\n"),
        ] as [HTTPDouble.Reaction])
    func wrongAnswers(_ reaction: HTTPDouble.Reaction) async throws {
        let key = try SigningKey.rsa("k1")
        let provider = try ProviderDouble(keys: [key])
        defer { provider.close() }
        let token = try provider.token(key).signed(by: key)
        let clock = TestClock()
        try await withProviders([provider.settings()], clock: clock) { providers in
            // First with the keys, then with the document that names their URL.
            provider.answerKeys(reaction)
            #expect(await providers.result(of: token) == .failure(.unavailable))
            provider.answerKeys(nil)
            provider.answerDocument(reaction)
            clock.advance(by: .seconds(5))
            #expect(await providers.result(of: token) == .failure(.unavailable))
            provider.answerDocument(nil)
            #expect(await providers.result(of: token) == .failure(.unavailable))
            clock.advance(by: .seconds(5))
            #expect(await providers.result(of: token).isSuccess)
        }
    }

    @Test("keys count in an answer of 200 alone, and where they have moved nobody follows")
    func otherStatuses() async throws {
        let key = try SigningKey.rsa("k1")
        let provider = try ProviderDouble(keys: [key])
        defer { provider.close() }
        let token = try provider.token(key).signed(by: key)
        let clock = TestClock()
        try await withProviders([provider.settings()], clock: clock) { providers in
            for status in [201, 203, 302, 404, 500] {
                provider.answerKeys(.answer(status, body: #"{"keys":[\#(key.jwk)]}"#))
                #expect(await providers.result(of: token) == .failure(.unavailable), "\(status)")
                clock.advance(by: .seconds(5))
            }
            provider.answerKeys(.answer(200, body: #"{"keys":[\#(key.jwk)]}"#))
            #expect(await providers.result(of: token).isSuccess)
        }
        let fetched = provider.keyFetches
        try await withProviders([provider.settings(keysPath: "/moved")]) { providers in
            #expect(await providers.result(of: token) == .failure(.unavailable))
        }
        #expect(provider.keyFetches == fetched)
    }

    @Test("a document of another issuer, or whose keys are elsewhere in clear text, is not followed")
    func wrongDocuments() async throws {
        let key = try SigningKey.rsa("k1")
        let provider = try ProviderDouble(keys: [key])
        defer { provider.close() }
        let token = try provider.token(key).signed(by: key)
        let issuer = provider.issuer
        let documents = [
            #"{"issuer":"https://other.example","jwks_uri":"\#(issuer)/keys"}"#, #"{"jwks_uri":"\#(issuer)/keys"}"#,
            #"{"issuer":"\#(issuer)/","jwks_uri":"\#(issuer)/keys"}"#, #"{"issuer":"\#(issuer)"}"#,
            #"{"issuer":"\#(issuer)","jwks_uri":"http://192.0.2.1/keys"}"#,
            #"{"issuer":"\#(issuer)","jwks_uri":"file:///etc/passwd"}"#,
            #"{"issuer":"\#(issuer)","jwks_uri":"http://localhost@192.0.2.1/keys"}"#,
            #"{"issuer":"\#(issuer)","jwks_uri":7}"#,
        ]
        let clock = TestClock()
        try await withProviders([provider.settings()], clock: clock) { providers in
            for document in documents {
                provider.answerDocument(.answer(200, body: document))
                clock.advance(by: .seconds(5))
                #expect(await providers.result(of: token) == .failure(.unavailable), "\(document)")
            }
            #expect((provider.documentFetches, provider.keyFetches) == (documents.count, 0))
        }
    }

    @Test(
        "a provider that does not come to an end is given up in time",
        arguments: [.silence, .begun("HTTP/1.1 200 OK\r\nContent-Length: 900\r\n\r\n{"), .begun("HTTP/1.1 ")]
            as [HTTPDouble.Reaction])
    func slow(_ reaction: HTTPDouble.Reaction) async throws {
        let key = try SigningKey.rsa("k1")
        let provider = try ProviderDouble(keys: [key])
        defer { provider.close() }
        provider.answerKeys(reaction)
        let token = try provider.token(key).signed(by: key)
        try await withProviders([provider.settings()], fetchLimit: .milliseconds(400)) { providers in
            #expect(await providers.result(of: token) == .failure(.unavailable))
        }
    }

    @Test("keys are kept while a provider does not answer")
    func outage() async throws {
        let key = try SigningKey.rsa("k1")
        let provider = try ProviderDouble(keys: [key])
        defer { provider.close() }
        let token = try provider.token(key).signed(by: key)
        let clock = TestClock()
        try await withProviders([provider.settings()], clock: clock) { providers in
            #expect(await providers.result(of: token).isSuccess)
            provider.answerKeys(.answer(503))
            clock.advance(by: .seconds(301))
            #expect(await providers.result(of: token).isSuccess)
            #expect(provider.keyFetches == 2)
            clock.advance(by: KeyCache.grace)
            #expect(await providers.result(of: token) == .failure(.unavailable))
        }
    }

    @Test("who waits when the checks stop is answered, and so is who comes later")
    func stop() async throws {
        let key = try SigningKey.rsa("k1")
        let provider = try ProviderDouble(keys: [key])
        defer { provider.close() }
        provider.answerKeys(.silence)
        let token = try provider.token(key).signed(by: key)
        try await withProviders([provider.settings()]) { providers in
            async let waiting = providers.result(of: token)
            try await waitingFor(provider)
            providers.stop()
            #expect(await waiting == .failure(.unavailable))
        }
    }

    private func waitingFor(_ provider: ProviderDouble) async throws {
        try await waiting(for: "a fetch of the keys") { provider.keyFetches == 1 }
    }

    @Test("keys come over TLS from a URL of the settings, and only from a server that is trusted")
    func tls() async throws {
        let key = try SigningKey.rsa("k1")
        let provider = try ProviderDouble(keys: [key], isTLS: true)
        defer { provider.close() }
        let token = try provider.token(key).signed(by: key)
        let settings = [try provider.settings(keysPath: "/keys")]
        try await withProviders(settings, trustRoots: [Array(TestKeys.certificate.utf8)]) { providers in
            #expect(await providers.result(of: token).isSuccess)
        }
        #expect((provider.documentFetches, provider.keyFetches) == (0, 1))
        try await withProviders(settings) { providers in
            #expect(await providers.result(of: token) == .failure(.unavailable))
        }
    }
}
