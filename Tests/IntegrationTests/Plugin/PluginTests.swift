import ParleyProtocol
import Sodium
import Testing

/// The plugin in a real broker. Each test has a broker of its own.
@Suite("Broker plugin")
struct PluginTests {
    let alice = TestDevice("alice", "phone")
    let bob = TestDevice("bob", "phone")
    let eve = TestDevice("eve", "phone")
    let console = TestDevice("operator", "console", isOperator: true)
    let conversation = ConversationID.random()

    var topic: String { "parley/v1/conversations/\(conversation)/messages" }

    /// Alice and Bob talk, Eve does not.
    var facts: [AudienceChange] {
        [alice, bob, eve, console].map { $0.change() } + [
            .conversation(conversation, members: [alice.address.user, bob.address.user])
        ]
    }

    /// A broker whose plugin has the facts, and the gateway's `out` connection.
    func readyBroker() throws -> (PluginBroker, WireClient) {
        let broker = try PluginBroker()
        let out = try broker.gateway()
        #expect(try out.snapshot(facts) == .ready(version: 1))
        return (broker, out)
    }

    @Test("a message reaches the members and nobody else")
    func delivery() throws {
        let (broker, out) = try readyBroker()
        let clients = try [alice, bob, eve].map { try $0.signIn(to: broker) }
        #expect(try clients.map { try $0.subscribe(topic) } == [1, 1, 0x87])
        #expect(try out.publish(topic, "hello") == 0)
        #expect(try clients.map { try $0.drain().map(\.topic) } == [[topic], [topic], []])
    }
}
