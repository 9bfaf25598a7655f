import ParleyClient
import ParleyProtocol
import Testing

/// The example of `docs/client.md`; its output is collected.
private func greet(
    _ bob: UserID, _ configuration: ClientConfiguration, print: @escaping @Sendable (String) async -> Void
) async throws {
    try await MessagingClient.open(configuration) { client in
        let events = client.events()
        try await client.ready(timeout: chatPatience)

        let chat = try await client.conversation(with: bob)
        let id = try await client.send(.text("Hello"), to: chat.id)
        await print("stored as number \(try await client.outcome(of: id).seq)")

        for await event in events {
            switch event {
            case .message(let message) where message.sender.user == bob:
                switch message.content {
                case .opened(let content): await print("\(content.value)")
                case .unreadable(let reason): await print("unreadable: \(reason)")
                case .removed, .system: break
                }
                try await client.markRead(chat.id, upTo: message.id)
                return
            case .keys(let notice):
                await print("\(notice)")
            case .ended: return
            default: break
            }
        }
    }
}

extension GatewayTests {
    @Suite("The example of the documentation", .timeLimit(.minutes(20)))
    struct ExampleTests {
        private actor Printed {
            private(set) var lines: [String] = []
            func add(_ line: String) { lines.append(line) }
        }

        @Test("it greets, and reads the answer")
        func example() async throws {
            let (one, other) = try SharedGateway.chatters()
            let printed = Printed()
            try await other.chat { bob in
                var events = ClientEvents(bob)
                async let greeting: Void = greet(other.user, one.configuration) { await printed.add($0) }
                let message = try await events.message()
                _ = try await bob.send(.text("Hi"), to: message.conversation)
                try await greeting
            }
            let met = PeerKeyNotice.met(other.user, hasAccountKey: true)
            #expect(await printed.lines.filter { $0 != "\(met)" } == ["stored as number 1", #"text("Hi")"#])
            #expect(await printed.lines.contains("\(met)"))
        }
    }
}
