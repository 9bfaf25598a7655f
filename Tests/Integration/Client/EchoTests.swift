import Launch
import Glibc
import ParleyClient
import ParleyProtocol
import TestSupport
import Testing

/// `"reply":"event"` (protocol §4), with a real gateway between.
@Suite("A device takes its own message as the reply", .ownThreads, .timeLimit(.minutes(20)))
struct EchoTests {
    private let gateway: TestGateway
    private let alice: DeviceCredentials
    private let bob: DeviceCredentials
    private let conversation: ConversationID

    init() throws {
        gateway = try TestGateway()
        let people = try gateway.people(2)
        (alice, bob) = (people[0], people[1])
        let client = try gateway.connect(bob)
        defer { client.disconnect() }
        conversation = try #require(ConversationID(try client.conversation(with: alice.username)))
    }

    private static let patience = Duration.seconds(600)

    private var topic: Topic { .conversation(conversation, .messages) }

    /// - Parameter firstRepeat: when a request without an answer is sent again, which the gateway replies to.
    private func configuration(firstRepeat: Duration) -> DeviceConfiguration {
        var configuration = gateway.configuration(alice)
        configuration.firstRepeat = firstRepeat
        return configuration
    }

    private static func ids(_ connection: DeviceConnection, _ count: Int) async throws -> [MessageID] {
        var ids: [MessageID] = []
        for await case .message(let message) in connection.events {
            let topic = try #require(message.topic)
            guard case .record(let record) = try ReceivedEvent(topic: topic, payload: message.payload) else { continue }
            ids.append(record.id)
            if ids.count == count { break }
        }
        return ids
    }

    @Test("subscribed, it is answered without a reply, and the event is heard all the same")
    func echo() async throws {
        let (conversation, topic) = (conversation, topic)
        try await DeviceConnection.open(configuration(firstRepeat: Self.patience)) { connection in
            connection.subscribe(to: topic.name)
            let requests = GatewayRequests(connection, timeout: Self.patience)
            let messages = (0..<3).map { _ in SendMessage.sample(conversation, echoIsReply: true) }
            var sent: [SentMessage] = []
            for message in messages { sent.append(try await requests.send(message)) }
            #expect(sent.map(\.id) == messages.map(\.id) && sent.map(\.seq) == [1, 2, 3])
            #expect(try await Self.ids(connection, 3) == messages.map(\.id))
            let page = try await requests.ask(GetHistory(conversation: conversation))
            #expect(page.messages.map(\.createdAt) == sent.map(\.createdAt))
            #expect(page.messages.map(\.epoch) == sent.map(\.epoch))
        }
    }

    @Test("when the echo is not heard, the repeat is replied to")
    func lostEcho() async throws {
        let conversation = conversation
        try await DeviceConnection.open(configuration(firstRepeat: .milliseconds(100))) { connection in
            let requests = GatewayRequests(connection, timeout: Self.patience)
            let message = SendMessage.sample(conversation, echoIsReply: true)
            let sent = try await requests.send(message)
            #expect(sent.id == message.id && sent.seq == 1)
            #expect(try await requests.ask(GetHistory(conversation: conversation)).summary.lastSeq == 1)
        }
    }

    @Test("a message that was sent before is answered by a reply, having no second echo")
    func repeated() async throws {
        let (conversation, topic) = (conversation, topic)
        try await DeviceConnection.open(configuration(firstRepeat: Self.patience)) { connection in
            connection.subscribe(to: topic.name)
            let requests = GatewayRequests(connection, timeout: Self.patience)
            let message = SendMessage.sample(conversation, echoIsReply: true)
            let first = try await requests.send(message)
            #expect(try await requests.send(message) == first)
        }
    }

    @Test("a refusal is a reply")
    func refused() async throws {
        let topic = topic
        try await DeviceConnection.open(configuration(firstRepeat: Self.patience)) { connection in
            connection.subscribe(to: topic.name)
            let requests = GatewayRequests(connection, timeout: Self.patience)
            let error = await #expect(throws: RequestError.self) {
                try await requests.send(.sample(.random(), echoIsReply: true))
            }
            guard case .refused(let rejection)? = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(rejection.code == .notFound)
        }
    }

    @Test("another device's message of the same id is heard and answers nothing")
    func ofAnother() async throws {
        let (conversation, topic) = (conversation, topic)
        let (gateway, bob) = (gateway, bob)
        try await DeviceConnection.open(configuration(firstRepeat: Self.patience)) { connection in
            connection.subscribe(to: topic.name)
            for await case .subscribed in connection.events { break }
            let client = try gateway.connect(bob)
            var ids: [MessageID] = []
            // Bob's waits in the broker before Alice's, so that Bob's event comes while Alice's is under way. Where the
            // gateway takes both at once it may be Alice's turn first: then Bob's was refused, and another id is tried.
            for _ in 0..<100 {
                let mine = SendMessage.sample(conversation, echoIsReply: true)
                ids.append(mine.id)
                let bobs = SendMessage.sample(conversation, id: mine.id).payload()
                gateway.pauseParleyd()
                try client.publish("\(client.up)/messages/send", bobs)
                let answer = taskOnOwnThreads {
                    try await GatewayRequests(connection, timeout: Self.patience).send(mine)
                }
                gateway.resumeParleyd()
                switch await answer.result {
                case .success: continue
                case .failure(RequestError.refused(let rejection)): #expect(rejection.code == .conflict)
                case .failure(let error): throw error
                }
                #expect(try await Self.ids(connection, ids.count) == ids)
                return
            }
            Issue.record("Bob's was never the first")
        }
    }
}
