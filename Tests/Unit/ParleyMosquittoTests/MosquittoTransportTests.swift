import LyingGateway
import MQTTClient
import ParleyClient
import ParleyProtocol
import TestSupport
import Testing

@testable import ParleyMosquitto

@Suite("The transport of libmosquitto", .ownThreads, .timeLimit(.minutes(20)))
struct MosquittoTransportTests {
    private let alice = DeviceAddress(user: UserID(validated: "alice"), device: DeviceID(validated: "phone"))
    private let transport = MosquittoTransport()

    private func configuration(_ gateway: GatewayAddress) -> DeviceConfiguration {
        var configuration = DeviceConfiguration(gateway: gateway, device: alice) { [alice] in
            DeviceCredentials(
                username: alice.user.text, clientID: alice.description, password: "none", expiresAt: .latest)
        }
        configuration.longestPause = .milliseconds(10)
        configuration.name = .main
        return configuration
    }

    @Test("carries a request there and its reply back, and an event that was subscribed to")
    func carries() async throws {
        let gateway = try LyingGateway()
        gateway.register(alice.user)
        try await DeviceConnection.open(configuration(.tcp(host: "127.0.0.1", port: gateway.port))) {
            [alice] connection in
            let reply = try await connection.request(
                ListConversations.operation, payload: Array("{}".utf8), timeout: .seconds(100))
            #expect(reply.isAccepted && reply.data != nil)
            connection.subscribe(to: Topic.user(alice.user, .events).name)
            for await case .subscribed in connection.events { break }
            let friend = gateway.mark(for: alice.user)
            for await case .message(let message) in connection.events {
                #expect(try message.event()?.data.text("user_id", maximum: 64) == friend.text)
                break
            }
        }
    }

    @Test("finds out that a gateway speaks plain MQTT where TLS was tried, and that ends the attempts")
    func plainGateway() async throws {
        let gateway = try LyingGateway()
        let (plain, tls) = (
            GatewayAddress.tcp(host: "127.0.0.1", port: gateway.port),
            GatewayAddress.tls(host: "127.0.0.1", port: gateway.port, caFile: nil)
        )
        for address in [plain, .unixSocket(path: "/nowhere")] {
            if let trouble = transport.diagnose(.notReady, at: address, timeout: .seconds(60)) {
                Issue.record("it found \(trouble) at \(address)")
            }
        }
        try await DeviceConnection.open(configuration(tls)) { connection in
            var end: ConnectionError?
            for await event in connection.events { if case .ended(let trouble) = event { end = trouble } }
            if case .tlsNotSpoken? = end { return }
            Issue.record("it ended by \(String(describing: end))")
        }
    }

    @Test(
        "a broker's word for a publish is one of three",
        arguments: [
            (ReasonCode.success, PublishVerdict.accepted), (.noMatchingSubscribers, .accepted),
            (.quotaExceeded, .noRoom), (.notAuthorized, .refused), (.unspecified, .refused),
        ])
    func verdicts(reason: ReasonCode, verdict: PublishVerdict) {
        #expect(PublishVerdict(reason) == verdict)
    }

    @Test(
        "why a connection failed decides whether it is tried again",
        arguments: [
            (MQTTError.refused(.notAuthorized), true), (.refused(.serverUnavailable), false),
            (.closedWithoutVerdict, false), (.disconnected(.sessionTakenOver), true),
            (.disconnected(.serverShuttingDown), false), (.unreachable(errno: 111), false), (.timedOut, false),
            (.tls, true), (.answeredInTLS, true), (.connectionLost(errno: 0), false), (.keepAliveExpired, false),
            (.invalidConfiguration(.host), true), (.outOfMemory, true),
        ])
    func troubles(error: MQTTError, isFinal: Bool) {
        #expect(ConnectionError(error).isFinal == isFinal)
    }

    @Test("what cannot be sent leaves the connection as it is, and anything else is its end")
    func transportErrors() {
        let found = [
            MQTTError.invalidTopic, .packetTooLarge(bytes: 2, maximum: 1), .sendBufferFull, .sendQuotaExhausted,
            .connectionLost(errno: 0),
        ].map { error in
            switch TransportError(error) {
            case .invalidTopic: "topic"
            case .tooLarge: "size"
            case .noRoom: "room"
            case .lost(.lost): "lost"
            case .lost: "otherwise"
            }
        }
        #expect(found == ["topic", "size", "room", "room", "lost"])
    }
}
