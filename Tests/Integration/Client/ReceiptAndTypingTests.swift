import ParleyClient
import ParleyProtocol
import TestSupport
import Testing

extension GatewayTests {
    @Suite("Receipts and typing of clients", .timeLimit(.minutes(20)))
    struct ReceiptAndTypingTests {
        @Test("a message is sent, delivered by itself, and read when the other says so, also while nobody listened")
        func receipts() async throws {
            let (one, other) = try SharedGateway.chatters()
            try await other.chat { bob in
                let (conversation, id) = try await one.chat { alice in
                    let conversation = try await alice.conversation(with: other.user).id
                    var events = ClientEvents(alice)
                    let id = try await alice.send(.text("Hello"), to: conversation)
                    for expected in [ChatMessage.Status.sent, .delivered] {
                        let status = try await events.next("the status \(expected)") { event in
                            if case .status(id, _, let status) = event { status } else { nil }
                        }
                        #expect(status == expected)
                    }
                    return (conversation, id)
                }
                #expect(await bob.conversations.all().first?.unreadCount == 1)
                try await bob.markRead(conversation, upTo: id)
                #expect(await bob.conversations.all().first?.unreadCount == 0)
                // Read while Alice was away: history says so.
                try await one.chat { alice in
                    try await waiting(for: "the last message to be read") {
                        try await alice.history(of: conversation).messages.last?.status == .read
                    }
                }
            }
        }

        @Test("the other sees that one writes, and that they stopped by sending")
        func typing() async throws {
            let (one, other) = try SharedGateway.chatters()
            try await chat(one, other) { alice, bob in
                let conversation = try await alice.conversation(with: other.user).id
                _ = try await bob.conversation(conversation)
                var atBob = ClientEvents(bob)
                for _ in 0..<20 { await alice.typing.pressKey(in: conversation) }
                func indicator() async throws -> TypingIndicator {
                    try await atBob.next("a typing indicator") { event in
                        if case .typing(let indicator) = event { indicator } else { nil }
                    }
                }
                let start = try await indicator()
                #expect(start.isTyping && start.sender == one.address)
                _ = try await alice.send(.text("done"), to: conversation)
                // Where starting took seconds, it was renewed before the stop.
                while try await indicator().isTyping {}
            }
        }
    }
}
