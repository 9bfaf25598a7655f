import ParleyClient
import ParleyProtocol
import Testing

extension GatewayTests {
    @Suite("Two clients that chat", .timeLimit(.minutes(20)))
    struct ChatTests {
        @Test("what one writes the other reads, both ways, with each suite", arguments: Suite.Bound.allCases)
        func bothWays(suite: Suite.Bound) async throws {
            let (one, other) = try SharedGateway.chatters()
            try await chat(one, other) { alice, bob in
                let (toBob, toAlice) = (try await alice.conversation(with: other.user), ClientEvents(alice))
                var atBob = ClientEvents(bob)
                let first = try await alice.send(.text("Hello"), to: toBob.id, suite: suite)
                let sent = try await alice.outcome(of: first)
                let received = try await atBob.message()
                #expect(received.id == first)
                #expect(received.text == "Hello")
                #expect(received.position?.seq == sent.seq)
                #expect(received.suite == .known(suite.suite))
                #expect(received.sender == one.address)

                var atAlice = toAlice
                let answer = try await bob.send(.text("Hi"), to: toBob.id, replyTo: first, suite: suite)
                let read = try await atAlice.message(from: other.user)
                #expect(read.id == answer)
                #expect(read.text == "Hi")
                #expect(read.replyTo == first)
            }
        }
    }
}
