import HTTPDoubles
import OpenSSL
import ParleyProtocol
import Synchronization
import TestNames
import TestSupport
import Testing

@testable import ParleyPush

@Suite("A sender and Apple's service, over HTTP/2 and TLS", .ownThreads)
struct APNsExchangeTests {
    private static let target = PushTarget.apns(token: "00ff", topic: "org.example.app")

    private static func deliveries(_ count: UInt64) -> [PushDelivery] {
        (0..<count).map { delivery(to: target, number: $0) }
    }

    @Test("a notification arrives and is accepted")
    func accepted() async throws {
        let server = try HTTP2Double { _ in .answer(200, [("apns-id", "x")]) }
        let configuration = try configuration(apns(server.url))
        #expect(
            try await answer(to: delivery(to: Self.target), configuration) == .accepted(status: 200))
        let request = try #require(server.received.first)
        #expect(request.path == "/3/device/00ff")
        let token = try #require(request["authorization"]).dropFirst("bearer ".count)
        _ = try VAPIDTests.verify(
            String(token), key: try #require(try APNsCredentials(configuration)).key.publicKey.bytes)
        server.close()
    }

    @Test("many go over one connection")
    func many() async throws {
        let server = try HTTP2Double { _ in .answer(200) }
        try await withSender(configuration(apns(server.url))) { sender, outcomes in
            // No more than the service takes on one connection at once: for more there would be others.
            sender.submit(Self.deliveries(96))
            #expect(sender.room(for: .webhook) == 256)
            let all = try await outcomes.count(96)
            #expect(all.allSatisfy { $0.answer == .accepted(status: 200) })
        }
        #expect(server.connections <= 4)
        #expect(Set(server.received.compactMap { $0["apns-id"] }).count == 96)
        server.close()
    }

    @Test(
        "a stream that is refused is for the sender to send again, and the next has a connection",
        arguments: [HTTP2Double.Reaction.refuse, .goAway], [0, 1])
    func refused(_ reaction: HTTP2Double.Reaction, _ place: Int) async throws {
        let server = try HTTP2Double { $0.number == place ? reaction : .answer(200) }
        let refused = PushAnswer.later(
            PushProblem(status: nil, "the connection broke", isUncertain: true), after: nil)
        let expected = (0...2).map { $0 == place ? refused : .accepted(status: 200) }
        #expect(try await answers(to: Self.deliveries(3), configuration(apns(server.url))) == expected)
        // Nothing was sent twice behind the sender's back.
        #expect(server.received.map { $0["apns-id"] } == (0...2).map { notificationID($0).description })
        server.close()
    }

    @Test("a connection that goes away answers what it has begun")
    func leaves() async throws {
        let server = try HTTP2Double { _ in .answerAndLeave(200) }
        let answers = try await answers(to: Self.deliveries(3), configuration(apns(server.url)))
        #expect(answers == Array(repeating: .accepted(status: 200), count: 3))
        #expect(server.connections == 3)
        server.close()
    }

    @Test(
        "what may have been processed is uncertain, and nothing is sent again",
        arguments: [HTTP2Double.Reaction.breakOff, .goAwayAfter, .cancel])
    func breaks(_ reaction: HTTP2Double.Reaction) async throws {
        let server = try HTTP2Double { _ in reaction }
        let answer = try await answer(to: delivery(to: Self.target), configuration(apns(server.url)))
        guard case .later(let problem, after: nil) = answer else {
            Issue.record("\(answer)")
            return
        }
        #expect(problem.isUncertain)
        #expect(server.received.count == 1)
        server.close()
    }

    @Test("an answer that never comes is uncertain when its time is over")
    func silence() async throws {
        let server = try HTTP2Double { _ in .silence }
        #expect(
            try await answer(
                to: delivery(to: Self.target),
                configuration(apns(server.url), request: .milliseconds(300)))
                == .later(PushProblem(status: nil, "no answer in time", isUncertain: true), after: nil))
        server.close()
    }

    @Test("after an answer that never came the next request has a connection of its own")
    func deadConnection() async throws {
        let isDead = Mutex(false)
        let server = try HTTP2Double { _ in isDead.withLock { $0 } ? .silence : .answer(200) }
        let configuration = try configuration(apns(server.url), request: .milliseconds(300))
        try await withSender(configuration) { sender, outcomes in
            var number = 0
            func answer() async throws -> PushAnswer? {
                number += 1
                sender.submit([delivery(to: Self.target, number: UInt64(number))])
                return try await outcomes.count(number).last?.answer
            }
            // On a busy machine any of them may be late.
            while try await answer() != .accepted(status: 200) {}
            let before = server.connections
            isDead.withLock { $0 = true }
            #expect(try await answer() != .accepted(status: 200))
            isDead.withLock { $0 = false }
            while try await answer() != .accepted(status: 200) {}
            #expect(server.connections > before)
        }
        server.close()
    }

    @Test("a token that is refused is replaced, once", arguments: ["ExpiredProviderToken", "InvalidProviderToken"])
    func tokenRefused(_ reason: String) async throws {
        let first = Mutex<String?>(nil)
        let server = try HTTP2Double { request in
            let token = request["authorization"]
            let isFirst = first.withLock { known in
                if known == nil { known = token }
                return known == token
            }
            return isFirst ? .answer(403, body: #"{"reason":"\#(reason)"}"#) : .answer(200)
        }
        let answers = try await answers(to: Self.deliveries(2), configuration(apns(server.url)))
        #expect(answers == Array(repeating: .accepted(status: 200), count: 2))
        #expect(server.received.count == 3)
        server.close()
    }

    @Test("a token that is never believed is made no more than twice")
    func tokenNeverBelieved() async throws {
        let server = try HTTP2Double { _ in .answer(403, body: #"{"reason":"InvalidProviderToken"}"#) }
        let refused = PushAnswer.later(PushProblem(status: 403, "InvalidProviderToken"), after: nil)
        let answers = try await answers(to: Self.deliveries(3), configuration(apns(server.url)))
        #expect(answers == Array(repeating: refused, count: 3))
        #expect(Set(server.received.compactMap { $0["authorization"] }).count == 2)
        server.close()
    }

    @Test("a server that speaks no HTTP/2 is not Apple's")
    func notHTTP2() async throws {
        let server = try HTTPDouble(isTLS: true) { _ in .answer(200) }
        #expect(
            try await answer(
                to: delivery(to: Self.target),
                configuration(apns("https://localhost:\(server.port)")))
                == .later(PushProblem(status: 200, "the server speaks no HTTP/2"), after: nil))
        server.close()
    }

    @Test("a certificate that nobody trusts is not spoken to")
    func notTrusted() async throws {
        let server = try HTTP2Double { _ in .answer(200) }
        var configuration = try configuration(apns(server.url))
        configuration.trustRoots = []
        #expect(
            try await answer(to: delivery(to: Self.target), configuration)
                == .later(PushProblem(status: nil, "the TLS handshake failed"), after: nil))
        #expect(server.received.isEmpty)
        server.close()
    }

    @Test("without an account nothing is sent")
    func notConfigured() async throws {
        #expect(
            try await answer(to: delivery(to: Self.target), configuration())
                == .refused(PushProblem(status: nil, "the service is not configured")))
    }
}
