import HTTPDoubles
import IdentityDoubles
import ParleyProtocol
import TestSupport
import Testing

/// Keys of a provider that come, change, and cannot be had, at a whole gateway.
@Suite("A provider's keys at a gateway", .ownThreads)
struct ProviderOutageTests {
    @Test("without the keys nobody is told that a token is wrong; they are asked for again, and it is taken")
    func unavailable() throws {
        let site = try ProviderGateway(isThere: false)
        let token = try site.token(of: "s1")
        let reply = try site.signIn(token, ["user_id": "dave"])
        #expect(reply.refusal == "unavailable")
        #expect((reply["error"]["retry_after_ms"].int ?? 0) > 0)
        site.provider.answerDocument(nil)
        let signedIn = try eventually("the provider's keys") { () -> JSON? in
            let reply = try site.signIn(token, ["user_id": "dave"])
            if reply.refusal == "unavailable" { return nil }
            return reply
        }
        #expect(try signedIn.credentials.username == "dave")
    }

    @Test("keys that were fetched go on while the provider is down, and it is not asked for every made-up key")
    func cached() throws {
        let site = try ProviderGateway()
        #expect(try site.signIn(try site.token(of: "s1"), ["user_id": "dave"]).credentials.username == "dave")
        site.provider.answerDocument(.answer(500))
        site.provider.answerKeys(.silence)
        #expect(try site.signIn(try site.token(of: "s1", by: site.p256)).credentials.username == "dave")
        for number in 0..<50 {
            let token = try site.token(of: "s1") { $0.header["kid"] = #""k\#(number)""# }
            #expect(try site.signIn(token).refusal == "unauthenticated")
        }
        #expect(site.provider.documentFetches == 1 && site.provider.keyFetches == 1)
    }

    @Test("a token by a new key is taken, once the keys may be fetched again", .wholeForm)
    func rotation() throws {
        let site = try ProviderGateway()
        #expect(try site.signIn(try site.token(of: "s1"), ["user_id": "dave"]).credentials.username == "dave")
        let new = try SigningKey.p256("new")
        site.provider.publish([new])
        let token = try site.token(of: "s1", by: new)
        // A minute at most, for ids of keys that anybody can make up.
        let reply = try eventually("a fetch of the keys") { () -> JSON? in
            let reply = try site.signIn(token)
            if reply.refusal == "unauthenticated" { return nil }
            return reply
        }
        #expect(try reply.credentials.username == "dave")
        #expect(site.provider.keyFetches == 2)
        // The old one is over.
        #expect(try site.signIn(try site.token(of: "s1")).refusal == "unauthenticated")
    }
}
