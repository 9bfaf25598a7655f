import Dispatch
import HTTPClient
import HTTPDoubles
import OpenSSL
import ParleyProtocol
import Synchronization
import TestNames
import TestSupport
import Testing

@testable import ParleyPush

@Suite("What an endpoint may be", .ownThreads)
struct EndpointPolicyTests {
    private static let strict = EndpointPolicy(allowsPrivate: false)

    private static func address(_ text: String) throws -> IPAddress {
        try #require(HostLookup.literal(text), "\(text)")
    }

    @Test(
        "what is not on the internet is private",
        arguments: [
            "0.0.0.0", "0.1.2.3", "10.0.0.1", "10.255.255.255", "100.64.0.1", "100.127.255.255", "127.0.0.1",
            "127.255.255.255", "169.254.169.254", "172.16.0.1", "172.31.255.255", "192.0.0.1", "192.0.2.1",
            "192.88.99.1", "192.168.1.1", "198.18.0.1", "198.19.255.255", "198.51.100.7", "203.0.113.9", "224.0.0.1",
            "239.255.255.255", "240.0.0.1", "255.255.255.255", "168.63.129.16", "100.100.100.200", "192.0.0.192",
            "::ffff:168.63.129.16", "64:ff9b::a83f:8110", "::", "::1", "::ffff:127.0.0.1", "::ffff:10.0.0.1",
            "::ffff:169.254.169.254", "::127.0.0.1", "64:ff9b::7f00:1", "64:ff9b::a00:1", "64:ff9b:1::1", "100::1",
            "2001::1", "2001:10::1", "2001:db8::1", "2002:7f00:1::", "2002:a00:1::1", "2002:c0a8:101::1", "3fff::1",
            "5f00::1", "fc00::1", "fdff::1", "fe80::1", "fec0::1", "ff02::1", "4000::1", "1fff::1",
        ])
    func onInternetPrivate(_ text: String) throws {
        #expect(try !Self.address(text).isPublic)
    }

    @Test(
        "what is on the internet is public",
        arguments: [
            "1.1.1.1", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "126.255.255.255", "128.0.0.1",
            "169.253.255.255", "172.15.255.255", "172.32.0.0", "192.0.1.0", "192.167.255.255", "192.169.0.0",
            "198.17.255.255", "198.20.0.0", "223.255.255.255", "168.63.129.15", "168.63.129.17", "::ffff:8.8.8.8",
            "64:ff9b::808:808", "2002:808:808::1", "2001:200::1", "2606:4700::1111", "2a00:1450:4001::1", "3ffe::1",
        ])
    func onInternetPublic(_ text: String) throws {
        #expect(try Self.address(text).isPublic)
    }

    @Test(
        "what shows itself to be private is not connected to",
        arguments: [
            ("http://example.com/", EndpointFault.notHTTPS), ("https://localhost/", .privateName),
            ("https://LOCALHOST./", .privateName), ("https://a.localhost/", .privateName),
            ("https://printer.local/", .privateName), ("https://metadata.google.internal/", .privateName),
            ("https://intranet/", .privateName), ("https://a..b/", .privateName), ("https://router.lan/", .privateName),
            ("https://127.0.0.1/", .privateAddress), ("https://127.1/", .privateAddress),
            ("https://2130706433/", .privateAddress), ("https://0x7f000001/", .privateAddress),
            ("https://0177.0.0.1/", .privateAddress), ("https://[::1]/", .privateAddress),
            ("https://[::ffff:a9fe:a9fe]/latest/meta-data", .privateAddress),
            ("https://10.0.0.7:8443/", .privateAddress), ("https://168.63.129.16/", .privateAddress),
            ("https://100.100.100.200/latest/meta-data", .privateAddress),
            ("https://192.0.0.192/opc/v2", .privateAddress), ("https://[fd00:ec2::254]/", .privateAddress),
            ("https://example.com:22/", .otherPort), ("https://example.com:80/", .otherPort),
            ("https://example.com:444/", .otherPort), ("https://127.0.0.1:6379/", .otherPort),
        ])
    func showsItselfBePrivate(_ text: String, _ fault: EndpointFault) throws {
        let endpoint = try #require(WebURL(text))
        #expect(Self.strict.fault(of: endpoint) == fault)
        #expect(EndpointPolicy(allowsPrivate: true).fault(of: endpoint) == nil)
        #expect(throws: Rejection(.badRequest, "endpoint: \(fault.reason)")) {
            try PushTarget.webhook(endpoint, secret: "0123456789abcdef").check(allowsPrivate: false)
        }
    }

    @Test(
        "what may be public is taken",
        arguments: [
            "https://example.com/x", "https://example.com:443/x", "https://example.com:8443/x",
            "https://example.com./x", "https://1.1.1.1/", "https://[2606:4700::1111]/",
            "https://updates.push.services.mozilla.com/wpush/v2/gAAA",
        ])
    func mayBePublicTaken(_ text: String) throws {
        try webhook(text).check(allowsPrivate: false)
    }

    @Test("one address that is private is enough")
    func oneAddressPrivateEnough() throws {
        let good = try Self.address("1.1.1.1")
        #expect(try Self.strict.permitted([good]) == [good])
        #expect(throws: EndpointFault.privateAddress) {
            try Self.strict.permitted([good, Self.address("192.168.0.1")])
        }
        #expect(throws: EndpointFault.notFound) { try Self.strict.permitted([]) }
    }

    @Test("a key off the curve is refused")
    func keyOffCurveRefused() throws {
        let endpoint = try #require(WebURL("https://example.com/"))
        let auth = [UInt8](repeating: 0, count: 16)
        let key = try P256.PrivateKey.generate().publicKey.bytes
        try PushTarget.webPush(endpoint, p256dh: key, auth: auth).check(allowsPrivate: false)
        var bent = key
        bent[64] ^= 1
        for wrong in [bent, [4] + [UInt8](repeating: 0, count: 64), [4] + [UInt8](repeating: 0xFF, count: 64)] {
            #expect(throws: Rejection(.badRequest, "p256dh: not a point of P-256")) {
                try PushTarget.webPush(endpoint, p256dh: wrong, auth: auth).check(allowsPrivate: true)
            }
        }
    }

    @Test("a name that stands for a private address is not connected to")
    func nameStandsPrivateAddress() async throws {
        let address = try Self.address("127.0.0.1")
        #expect(
            try await answer(
                to: delivery(to: webhook("https://push.example.com/")), configuration(allowsPrivate: false),
                lookup: { _ in [address] })
                == .refused(PushProblem(status: nil, EndpointFault.privateAddress.reason)))
    }

    @Test("the connection goes to the address that was judged by the name that was given")
    func connectionGoesAddressJudged() async throws {
        let server = try HTTPDouble(isTLS: true) { _ in .answer(200) }
        let address = try Self.address("127.0.0.1")
        let asked = Mutex<[String]>([])
        // The certificate is for the first name, and no resolver knows it.
        let targets = try ["push", "push", "push", "other"].map {
            try webhook("https://\($0).example.com:\(server.port)/x")
        }
        let answers = try await answers(to: targets.map { delivery(to: $0) }, configuration()) { host in
            asked.withLock { $0.append(host) }
            return [address]
        }
        #expect(answers[..<3].allSatisfy { $0 == .accepted(status: 200) })
        #expect(
            answers[3] == .later(PushProblem(status: nil, "the certificate is not the host's"), after: nil))
        #expect(server.received.count == 3)
        #expect(server.received.allSatisfy { $0["host"] == "push.example.com:\(server.port)" })
        #expect(asked.withLock { $0 } == ["push.example.com", "other.example.com"])
        server.close()
    }

    @Test("where the first address does not answer, the second is tried")
    func firstAddressDoesAnswer() async throws {
        let server = try HTTPDouble(isTLS: true) { _ in .answer(200) }
        let addresses = [try Self.address("127.0.0.2"), try Self.address("127.0.0.1")]
        #expect(
            try await answer(
                to: delivery(to: webhook("https://push.example.com:\(server.port)/")), configuration(),
                lookup: { _ in addresses }) == .accepted(status: 200))
        server.close()
    }

    @Test("a resolver that does not answer is waited for in bounds")
    func resolverDoesAnswerWaited() async throws {
        var configuration = try configuration()
        configuration.timeouts.lookup = .milliseconds(100)
        let isJudged = DispatchSemaphore(value: 0)
        defer { isJudged.signal() }
        let answer = try await answer(
            to: delivery(to: webhook("https://push.example.com/")), configuration,
            lookup: { _ in
                isJudged.wait()
                return []
            })
        #expect(answer == .later(PushProblem(status: nil, EndpointFault.notLookedUp.reason), after: nil))
    }
}
