import LyingGateway
import ParleyClient
import ParleyProtocol
import TestSupport
import Testing

@Suite("The gateway of tests, while it is honest", .ownThreads, .timeLimit(.minutes(20)))
struct HonestGatewayTests {
    private let bob = UserID(validated: "bob")
    private let carol = UserID(validated: "carol")
    private let gateway: LyingGateway
    private let alice: LiedToDevice

    init() throws {
        gateway = try LyingGateway()
        alice = try LiedToDevice(at: gateway)
        try gateway.add(bob, hasAccount: true)
        try gateway.add(carol, hasAccount: false)
    }

    @Test("a client signs in, publishes keys, writes to somebody, is answered, edits and reads its history")
    func conversation() async throws {
        try await alice.chat { client, events in
            let chat = try await client.conversation(with: bob)
            let first = try await client.send(.text("Hello"), to: chat.id)
            #expect(try await client.outcome(of: first).seq == 1)
            try gateway.say("Hi", by: bob, to: alice.address)
            try await events.wait(for: "the answer") { $0.shownText == "Hi" }
            let edit = try await client.edit(first, in: chat.id, to: .text("Hello, Bob"))
            _ = try await client.outcome(of: edit)
            let history = try await client.history(of: chat.id)
            #expect(history.messages.compactMap { $0.position?.seq } == [1, 2])
            #expect(gateway.heard.map(\.text) == [#"{"text":"Hello"}"#, #"{"text":"Hello, Bob"}"#])
            #expect(gateway.heard.allSatisfy { $0.device.user == bob })
        }
        #expect(gateway.readings.isEmpty)
    }

    @Test("everybody in a group opens what is sent there, and nobody else")
    func group() async throws {
        try await alice.chat { client, _ in
            let group = try await client.groups.create(name: "three", with: [bob, carol])
            try await client.write("to all", in: group.id)
        }
        #expect(Set(gateway.heard.map(\.device.user)) == [bob, carol])
        #expect(gateway.readings.isEmpty)
    }

    @Test("what was sent while a client was away comes with the next connection, and the number is the true one")
    func catchingUp() async throws {
        _ = try await alice.chat { client, _ in
            try await client.write("first", to: bob)
        }
        try gateway.say("while you were away", by: bob, to: alice.address)
        try await alice.chat { client, _ in
            let chat = try await client.conversation(with: bob)
            let texts = try await client.history(of: chat.id).messages.map { ClientEvent.messageAdded($0).shownText }
            #expect(texts.last == "while you were away")
            let number = try await client.shownNumber(with: bob).digits
            #expect(gateway.isTrue(number, of: alice.user, with: bob))
        }
    }

    @Test("a connection that breaks is made again, and a message that was written meanwhile arrives once")
    func reconnecting() async throws {
        try await alice.chat { client, events in
            let chat = try await client.write("first", to: bob)
            gateway.dropConnections()
            try await client.write("second", in: chat)
            try await events.catchUp(with: gateway, as: alice)
        }
        #expect(gateway.heard.map(\.text) == [#"{"text":"first"}"#, #"{"text":"second"}"#])
    }

    @Test("a device that somebody really has more is sealed for, once it is announced")
    func secondDevice() async throws {
        let tablet = DeviceID(validated: "tablet")
        try await alice.chat { client, events in
            let chat = try await client.write("to one", to: bob)
            try gateway.renewKeys(of: bob, device: tablet)
            try await events.catchUp(with: gateway, as: alice)
            try await client.write("to both", in: chat)
        }
        #expect(gateway.heard.map(\.device.device.text) == ["phone", "phone", "tablet"])
        #expect(gateway.readings.isEmpty)
    }
}
