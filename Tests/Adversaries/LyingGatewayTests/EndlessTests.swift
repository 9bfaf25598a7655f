import LyingGateway
import ParleyClient
import ParleyProtocol
import TestSupport
import Testing

@Suite("A gateway that never comes to an end", .ownThreads, .timeLimit(.minutes(20)))
struct EndlessTests {
    private let bob = UserID(validated: "bob")
    private let gateway: LyingGateway
    private let alice: LiedToDevice

    init() throws {
        gateway = try LyingGateway()
        alice = try LiedToDevice(at: gateway)
        try gateway.add(bob, hasAccount: true)
    }

    private func untilTold(_ fault: GatewayFaultError, _ events: inout ClientEvents) async throws {
        try await events.wait(for: "\(fault)") { if case .gatewayFault(fault) = $0 { true } else { false } }
    }

    @Test("a list that goes round is given up, told, and everything else goes on")
    func list() async throws {
        try gateway.acquaint(alice.user, with: bob)
        try gateway.tell(.endless(.list), about: bob, to: alice.address)
        try await alice.chat { client, events in
            try await untilTold(.endless, &events)
            try await client.write("nevertheless", to: bob)
        }
        #expect(gateway.heard.map(\.text) == [#"{"text":"nevertheless"}"#])
        #expect(gateway.readings.isEmpty)
    }

    @Test(
        "of a list without end no more is kept than a device keeps; it is given up, told, and everything else goes on",
        .wholeForm)
    func total() async throws {
        try gateway.tell(.endless(.total), about: bob, to: alice.address)
        try await MessagingClient.open(alice.configuration) { client in
            var events = ClientEvents(client)
            try await untilTold(.endless, &events)
            try await client.ready(timeout: .seconds(300))
            gateway.beHonest(about: bob)
            try await client.write("nevertheless", to: bob)
            try await events.catchUp(with: gateway, as: alice)
            let added = events.taken.count { if case .conversationAdded = $0 { true } else { false } }
            #expect(added <= 20_001, "all that are kept, and the one with bob")
        }
    }

    @Test(
        "a list without end that an app asks for is given up after a bounded number of pages, and told",
        arguments: [EndlessLie.requests, .invites])
    func pages(_ lie: EndlessLie) async throws {
        try await alice.chat { client, events in
            try gateway.tell(.endless(lie), about: bob, to: alice.address)
            do {
                switch lie {
                case .invites: _ = try await client.invites.all(to: .random())
                case .requests, .list, .total, .sync, .history: _ = try await client.messageRequests.all()
                }
                Issue.record("it came to an end")
            } catch ClientError.gatewayFault(.endless) {
                try await untilTold(.endless, &events)
            }
        }
        #expect(gateway.pages <= 101)
    }

    @Test("a sync that is never complete is given up after a bounded number of parts, and told")
    func sync() async throws {
        try gateway.tell(.endless(.sync), about: bob, to: alice.address)
        try await MessagingClient.open(alice.configuration) { client in
            var events = ClientEvents(client)
            try await untilTold(.endless, &events)
        }
    }

    @Test("a history of which each page is empty and has another behind it is given up, and told")
    func history() async throws {
        try await alice.chat { client, events in
            let chat = try await client.write("first", to: bob)
            try gateway.tell(.endless(.history), about: bob, to: alice.address)
            do {
                _ = try await client.history(of: chat, at: .before(.id(.random())))
                Issue.record("it came to an end")
            } catch ClientError.gatewayFault(.endless) {
                try await untilTold(.endless, &events)
            }
        }
    }
}
