import HTTPDoubles
import MQTTWire
import HTTPClient
import Logging
import ParleyProtocol
import TestNames
import TestSupport
import Testing

@testable import ParleyPush

/// A sender and a server, over real sockets.
@Suite("A sender and endpoints, over sockets", .ownThreads)
struct EndpointExchangeTests {
    @Test("a notification arrives and is accepted")
    func notificationArrivesAccepted() async throws {
        let server = try HTTPDouble { _ in .answer(202) }
        let answer = try await answer(to: delivery(to: webhook(server.url("/hook?a=b"))), configuration())
        #expect(answer == .accepted(status: 202))
        let request = try #require(server.received.first)
        #expect(request.path == "/hook?a=b")
        #expect(request["host"] == "127.0.0.1:\(server.port)")
        #expect(request["parley-id"] == notificationID(1).description)
        #expect(try JSONObject(parsing: request.body).uuid("id", as: NotificationID.self) == notificationID(1))
        server.close()
    }

    @Test("many go over few connections")
    func manyGoOverFew() async throws {
        let server = try HTTPDouble { _ in .answer(200) }
        let target = try webhook(server.url())
        try await withSender(configuration(limits: PushLimits(perProvider: 16, perOrigin: 4))) { sender, outcomes in
            for batch in 0..<20 {
                #expect(sender.room(for: .webhook) > 0)
                let number = sender.room(for: .webhook)
                sender.submit((0..<UInt64(min(number, 8))).map { delivery(to: target, number: UInt64(batch) * 8 + $0) })
                _ = try await outcomes.count(8 * (batch + 1))
            }
            #expect(outcomes.all.allSatisfy { $0.answer == .accepted(status: 200) })
            #expect(Set(outcomes.all.map(\.id)).count == 160)
            #expect(sender.room(for: .webhook) == 16)
        }
        #expect(server.connections <= 8)
        server.close()
    }

    private static let answers: [(HTTPDouble.Reaction, PushAnswer)] = [
        (.answer(429, [("Retry-After", "7")]), .later(PushProblem(status: 429, "HTTP 429"), after: .seconds(7))),
        (
            .answer(429, [("Retry-After", "Thu, 15 Jan 2026 09:00:30 GMT")]),
            .later(PushProblem(status: 429, "HTTP 429"), after: .seconds(30))
        ),
        (.answer(410, body: "gone"), .ended(status: 410, since: nil)),
        // One that breaks off in its body is known by its status, and of one without end a little is read.
        (.bytes("HTTP/1.1 201 Created\r\nContent-Length: 100\r\n\r\nshort"), .accepted(status: 201)),
        (.endless(500), .later(PushProblem(status: 500, "HTTP 500"), after: nil)),
    ]

    @Test("an answer is known by its status and what it asks for", arguments: answers.indices)
    func known(_ index: Int) async throws {
        let (reaction, expected) = Self.answers[index]
        let server = try HTTPDouble { _ in reaction }
        #expect(try await answer(to: delivery(to: webhook(server.url())), configuration()) == expected)
        server.close()
    }

    @Test(
        "a redirect is not followed", arguments: [301, 302, 303, 307, 308])
    func redirectFollowed(_ status: Int) async throws {
        let other = try HTTPDouble { _ in .answer(200) }
        let elsewhere = other.url("/elsewhere")
        let server = try HTTPDouble { _ in .answer(status, [("Location", elsewhere)]) }
        #expect(
            try await answer(to: delivery(to: webhook(server.url())), configuration())
                == .refused(PushProblem(status: status, "HTTP \(status)")))
        #expect(other.received.isEmpty)
        server.close()
        other.close()
    }

    @Test(
        "garbage and a connection that ends leave the answer uncertain",
        arguments: ["\u{0}\u{1}nonsense\r\n\r\n", "HTTP/1.1 abc\r\n\r\n", "", "HTTP/1.1 200 OK\r\nConte"])
    func garbageConnectionEndsLeave(_ bytes: String) async throws {
        let server = try HTTPDouble { _ in .bytes(bytes) }
        let answer = try await answer(to: delivery(to: webhook(server.url())), configuration())
        guard case .later(let problem, after: nil) = answer else {
            Issue.record("\(answer)")
            return
        }
        #expect(problem.isUncertain)
        #expect(problem.status == nil)
        server.close()
    }

    @Test("an answer that never comes is uncertain when its time is over")
    func answerNeverComesUncertain() async throws {
        let server = try HTTPDouble { _ in .silence }
        #expect(
            try await answer(
                to: delivery(to: webhook(server.url())), configuration(request: .milliseconds(300)))
                == .later(PushProblem(status: nil, "no answer in time", isUncertain: true), after: nil))
        #expect(server.received.count <= 1)
        server.close()
    }

    @Test("where nobody listens, nothing was sent")
    func nobodyListensNothingSent() async throws {
        // Held until the answer has come, so that no other test listens there meanwhile.
        let port = try RefusingPort(0)
        let answer = try await answer(
            to: delivery(to: webhook("http://127.0.0.1:\(port.number)/hook")), configuration())
        #expect(answer == .later(PushProblem(status: nil, "no connection"), after: nil))
        withExtendedLifetime(port) {}
    }

    @Test("after failures in a row, nothing is sent for a while")
    func afterFailuresRowNothing() async throws {
        let server = try HTTPDouble { _ in .answer(500) }
        let target = try webhook(server.url())
        try await withSender(configuration()) { sender, outcomes in
            for number in 0..<UInt64(CircuitBreaker.tolerated) {
                sender.submit([delivery(to: target, number: number)])
                _ = try await outcomes.count(Int(number) + 1)
            }
            sender.submit([delivery(to: target, number: 100)])
            let last = try #require(try await outcomes.count(CircuitBreaker.tolerated + 1).last)
            guard case .notTried(let after) = last.answer else {
                Issue.record("\(last)")
                return
            }
            #expect((.milliseconds(1) ... .seconds(5)).contains(after))
            #expect(server.received.count == CircuitBreaker.tolerated)
        }
        server.close()
    }

    @Test("connections to many hosts are closed again, the longest unused first")
    func manyHosts() async throws {
        let server = try HTTPDouble { _ in .answer(200) }
        let address = try #require(IPAddress(bytes: [127, 0, 0, 1]))
        try await withSender(configuration(limits: PushLimits(origins: 64)), lookup: { _ in [address] }) {
            sender, outcomes in
            for number in 0..<40 {
                let target = try webhook("http://h\(number).example.com:\(server.port)/")
                sender.submit([delivery(to: target, number: UInt64(number))])
                #expect(try await outcomes.count(number + 1).last?.answer == .accepted(status: 200))
            }
            try await waiting(for: "connections to end") { server.openConnections <= 8 }
        }
        #expect(Set(server.received.compactMap { $0["host"] }).count == 40)
        try await waiting(for: "all connections to end") { server.openConnections == 0 }
        server.close()
    }

    @Test("what is cancelled has an outcome too")
    func cancelledHasOutcomeToo() async throws {
        let server = try HTTPDouble { _ in .silence }
        let target = try webhook(server.url())
        let outcomes = Outcomes()
        let sender = try PushSender(
            configuration(limits: PushLimits(perProvider: 8, perOrigin: 2)), logger: .init(label: "push")
        ) { outcomes.append($0) }
        let running = taskOnOwnThreads { try await sender.run() }
        sender.submit((0..<4).map { delivery(to: target, number: $0) })
        try await waiting(for: "two requests") { server.received.count == 2 }
        running.cancel()
        try await running.value
        #expect(outcomes.all.count == 4)
        #expect(outcomes.all.count { $0.answer == .notTried(after: .zero) } == 2)
        sender.submit([delivery(to: target, number: 9)])
        #expect(outcomes.all.last?.answer == .notTried(after: .zero))
        #expect(sender.room(for: .webhook) == 0)
        server.close()
    }

    @Test("what stops waits for what is under way")
    func stopsWaitsUnderWay() async throws {
        let server = try HTTPDouble { _ in .late(200) }
        let outcomes = Outcomes()
        let sender = try PushSender(configuration(), logger: .init(label: "push")) { outcomes.append($0) }
        let running = taskOnOwnThreads { try await sender.run() }
        sender.submit([delivery(to: try webhook(server.url()))])
        try await waiting(for: "a request") { server.received.count == 1 }
        sender.stop()
        try await running.value
        #expect(outcomes.all.map(\.answer) == [.accepted(status: 200)])
        server.close()
    }
}
