import IdentityDoubles
import ParleyProtocol
import TestSupport
import Testing

@testable import ParleyIdentity

@Suite("Identity tokens that are wrong", .ownThreads)
struct TokenFaultTests {
    @Test(
        "each is refused for its own reason, and all with one answer",
        arguments: WrongToken.all)
    func refused(_ wrong: WrongToken) async throws {
        let (rsa, p256) = (try SigningKey.rsa("r"), try SigningKey.p256("p"))
        let provider = try ProviderDouble(keys: [rsa, p256])
        defer { provider.close() }
        try await withProviders([provider.settings()]) { providers in
            let token = provider.token(rsa)
            // The one that it was made from is good.
            #expect(try await providers.result(of: token.signed(by: rsa)).isSuccess)
            let result = await providers.result(of: try wrong.make(.init(rsa: rsa, p256: p256, token: token)))
            #expect(result == .failure(.token(wrong.fault)))
            let answer = try #require(throws: IdentityError.self) { try result.get() }.rejection
            #expect(answer.code == .unauthenticated)
            #expect(answer == IdentityError.token(.signature).rejection)
        }
    }

    @Test(
        "a second more than the leeway is too much",
        arguments: [
            ("exp", -60, TokenFault.expired), ("iat", 61, .issuedInFuture), ("nbf", 61, .notYetValid),
            ("iat", -661, .tooOld),
        ])
    func limits(claim: String, seconds: Int, fault: TokenFault) async throws {
        let key = try SigningKey.rsa("r")
        let provider = try ProviderDouble(keys: [key])
        defer { provider.close() }
        try await withProviders([provider.settings()]) { providers in
            var token = provider.token(key)
            token.claims[claim] = "\(TokenText.now.milliseconds / 1000 + Int64(seconds))"
            let result = await providers.result(of: try token.signed(by: key))
            #expect(result == .failure(.token(fault)))
        }
    }

    @Test("every fault that there is has a token here, but those of nonces, which have tests of their own")
    func complete() {
        #expect(Set(TokenFault.allCases).subtracting(WrongToken.all.map(\.fault)) == [.noNonce, .otherNonce])
    }
}

extension Result {
    var isSuccess: Bool {
        switch self {
        case .success: true
        case .failure: false
        }
    }
}
