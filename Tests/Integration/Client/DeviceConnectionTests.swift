import MQTTWire
import Glibc
import ParleyClient
import ParleyMosquitto
import ParleyNIO
import ParleyProtocol
import TestSupport
import Testing

@Suite("A device's connection", .ownThreads, .timeLimit(.minutes(20)))
final class DeviceConnectionTests: ToolSuite {
    private let alice = DeviceAddress(user: UserID(validated: "alice"), device: DeviceID(validated: "phone"))

    override init() throws {
        try super.init()
        try addUser("alice")
        try addUser("bob", "--message-privacy", "anyone", device: false)
    }

    /// Tests that block share the runtime's few threads with this suite, and its tasks wait for them in a queue: a
    /// request's time may begin long before the connection's own thread does.
    private static let patience = Duration.seconds(600)

    private var configuration: DeviceConfiguration { configuration(over: MosquittoTransport()) }

    private func configuration(over transport: any DeviceTransport) -> DeviceConfiguration {
        let directory = DeviceDirectory(of: alice, in: gateway.directory)
        var configuration = DeviceConfiguration(
            gateway: .tcp(host: "127.0.0.1", port: gateway.mqttPort), device: alice, over: transport
        ) { try directory.readCredentials() }
        configuration.longestPause = .milliseconds(200)
        return configuration
    }

    /// The client's transports that reach a broker.
    enum Transport: CaseIterable {
        case mosquitto
        case nio

        var value: any DeviceTransport {
            switch self {
            case .mosquitto: MosquittoTransport()
            case .nio: NIOTransport()
            }
        }
    }

    @Test("a request is answered, and what was subscribed before is heard after it", arguments: Transport.allCases)
    func requestAndEvent(_ transport: Transport) async throws {
        let create = try operation("conversations", "create")
        try await DeviceConnection.open(configuration(over: transport.value)) { [alice] connection in
            connection.subscribe(to: Topic.user(alice.user, .events).name)
            let reply = try await connection.request(
                create, payload: Array(#"{"type":"direct","participant_ids":["bob"]}"#.utf8), timeout: Self.patience)
            let id = try reply.data?.uuid("id", as: ConversationID.self)
            #expect(reply.isAccepted)
            for await case .message(let message) in connection.events {
                #expect(message.topic == .user(alice.user, .events))
                let event = try #require(message.event())
                #expect(event.type == "conversation.created")
                #expect(try event.data.uuid("id", as: ConversationID.self) == id)
                break
            }
        }
    }

    @Test("many requests at once are each answered with their own reply", arguments: Transport.allCases)
    func many(_ transport: Transport) async throws {
        let get = try operation("profile", "get")
        try await DeviceConnection.open(configuration(over: transport.value)) { connection in
            let answered = try await withThrowingTaskGroup(of: Bool.self) { group in
                for number in 0..<200 {
                    group.addTask {
                        let reply = try await connection.request(
                            get, payload: Array(#"{"request_id":"\#(number)"}"#.utf8), timeout: Self.patience)
                        return try JSON(parsing: reply.payload)["request_id"].text == String(number)
                    }
                }
                return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
            }
            #expect(answered == 200)
        }
    }

    @Test("what the broker refuses is forbidden, and a filter of others is refused")
    func refusals() async throws {
        let list = try operation("admin", "list-users")
        try await DeviceConnection.open(configuration) { connection in
            let reply = try await connection.request(list, payload: Array("{}".utf8), timeout: Self.patience)
            #expect(reply.rejection?.code == .forbidden)
            connection.subscribe(to: "parley/v1/users/bob/events")
            for await case .subscriptionRefused(let filter) in connection.events {
                #expect(filter == "parley/v1/users/bob/events")
                break
            }
        }
    }

    @Test(
        "a request that was made while the gateway was away is answered when it is back",
        arguments: Transport.allCases)
    func restart(_ transport: Transport) async throws {
        let get = try operation("profile", "get")
        let gateway = gateway
        try await DeviceConnection.open(configuration(over: transport.value)) { [alice] connection in
            connection.subscribe(to: Topic.user(alice.user, .events).name)
            #expect(try await connection.request(get, payload: Array("{}".utf8), timeout: Self.patience).isAccepted)
            gateway.endParleyd(SIGKILL)
            gateway.endBroker(SIGKILL)
            async let reply = connection.request(get, payload: Array("{}".utf8), timeout: Self.patience)
            try gateway.startBroker()
            try gateway.startParleyd()
            #expect(try await reply.isAccepted)
            var subscriptions = 0
            for await case .subscribed in connection.events {
                subscriptions += 1
                if subscriptions == 2 { break }
            }
        }
    }

    @Test("credentials that are not accepted end the connection and what waits on it", arguments: Transport.allCases)
    func notAuthorized(_ transport: Transport) async throws {
        let get = try operation("profile", "get")
        let parley = parley
        try await DeviceConnection.open(configuration(over: transport.value)) { connection in
            #expect(try await connection.request(get, payload: Array("{}".utf8), timeout: Self.patience).isAccepted)
            try #require(try parley.run("device", "revoke", "alice", "phone").status == 0)
            for await event in connection.events {
                guard case .ended(let trouble) = event else { continue }
                guard case .notAuthorized = trouble else {
                    Issue.record("it ended with: \(trouble)")
                    break
                }
            }
            let failure = await #expect(throws: NoReplyError.self) {
                try await connection.request(get, payload: Array("{}".utf8), timeout: Self.patience)
            }
            guard case .ended(.notAuthorized)? = failure else {
                Issue.record("the request failed with: \(String(describing: failure))")
                return
            }
        }
    }

    @Test("a gateway that was never reached is told from one that refuses", .oneMachine(.balancer))
    func unreachable() async throws {
        let get = try operation("profile", "get")
        gateway.endParleyd()
        gateway.endBroker()
        // Otherwise a gateway of another test may get its port.
        let port = try RefusingPort(gateway.mqttPort)
        defer { withExtendedLifetime(port) {} }
        var configuration = configuration
        configuration.persistence = .onceReached
        try await DeviceConnection.open(configuration) { connection in
            let failure = await #expect(throws: NoReplyError.self) {
                try await connection.request(get, payload: Array("{}".utf8), timeout: Self.patience)
            }
            guard case .ended(.unreachable(ECONNREFUSED))? = failure else {
                Issue.record("the request failed with: \(String(describing: failure))")
                return
            }
        }
    }

    @Test("a request ends when its task is cancelled, or its time is over")
    func cancellation() async throws {
        let get = try operation("profile", "get")
        gateway.endParleyd()
        try await DeviceConnection.open(configuration) { connection in
            let waiting = taskOnOwnThreads {
                try await connection.request(get, payload: Array("{}".utf8), timeout: .seconds(600))
            }
            let short = await #expect(throws: NoReplyError.self) {
                try await connection.request(get, payload: Array("{}".utf8), timeout: .milliseconds(50))
            }
            guard case .timedOut? = short else {
                Issue.record("the request failed with: \(String(describing: short))")
                return
            }
            waiting.cancel()
            let cancelled = await waiting.result
            guard case .failure(let failure as NoReplyError) = cancelled, case .cancelled = failure else {
                Issue.record("the request ended with: \(cancelled)")
                return
            }
        }
    }
}
