import NIOCore
import ParleyProtocol
import Testing

@testable import ParleyWeb

@Suite("What one network may ask")
struct NetworkLimitTests {
    @Test("so many at once, then one each half second; others are not held up")
    func limit() throws {
        let (limit, now) = (NetworkLimit(), NIODeadline.now())
        let network = try #require(ClientNetwork("192.0.2.1"))
        for _ in 0..<NetworkLimit.burst { try limit.take(network, now: now) }
        let refusal = #expect(throws: APIRefusal.self) { try limit.take(network, now: now) }
        #expect(refusal?.response.status == 429)
        try limit.take(try #require(ClientNetwork("192.0.2.2")), now: now)
        try limit.take(network, now: now + .milliseconds(500))
        #expect(throws: APIRefusal.self) { try limit.take(network, now: now + .milliseconds(500)) }
        for _ in 0..<NetworkLimit.burst { try limit.take(network, now: now + .seconds(120)) }
        for own in ["127.0.0.1", "::1", "::ffff:127.0.0.1"] {
            let own = try #require(ClientNetwork(own))
            for _ in 0..<3 * NetworkLimit.burst { try limit.take(own, now: now) }
        }
        let other = try #require(ClientNetwork("::1:0:0:0:1"))
        for _ in 0..<NetworkLimit.burst { try limit.take(other, now: now) }
        #expect(throws: APIRefusal.self) { try limit.take(other, now: now) }
    }
}
