import Foundation
import ParleyClient
import ParleyProtocol
import Synchronization
import TestSupport
import Testing

// The example of `docs/client.md`.
func greet(
    _ bob: UserID, _ alice: ClientConfiguration, show: @escaping @Sendable (String) -> Void
) async throws {
    try await MessagingClient.open(alice) { client in
        let events = client.events()
        try await client.ready()

        let chat = try await client.conversation(with: bob)
        let id = try await client.send(.text("Hello"), to: chat.id)
        show("stored as number \(try await client.outcome(of: id).seq)")

        for await event in events {
            switch event {
            case .messageAdded(let message) where message.sender.user == bob:
                switch message.content {
                case .opened(let content):
                    if case .text(let text) = content.value { show(text) }
                case .unreadable(let reason): show("unreadable: \(reason)")
                case .removed, .system: break
                }
                // Bob may write elsewhere, too.
                try await client.markRead(message.conversation, upTo: message.id)
            case .keys(let notice): show("\(notice)")
            case .ended: return
            default: break
            }
        }
    }
}

extension GatewayTests {
    @Suite("The example of the documentation", .timeLimit(.minutes(20)))
    struct ExampleTests {
        private final class Shown: Sendable {
            private let state = Mutex<[String]>([])
            var lines: [String] { state.withLock { $0 } }
            func add(_ line: String) { state.withLock { $0.append(line) } }
        }

        @Test("it greets, and reads the answer and what is written in a group meanwhile")
        func example() async throws {
            let (one, other) = try SharedGateway.chatters()
            let shown = Shown()
            try await befriend(one, other)
            try await one.chat { _ in }
            try await other.chat { bob in
                var events = ClientEvents(bob)
                let group = try await bob.groups.create(name: "Run", with: [one.user]).id
                let greeting = taskOnOwnThreads { try await greet(other.user, one.configuration) { shown.add($0) } }
                let hello = try await events.message()
                let texts = ["See you", "Hi", "Bye"]
                for (text, conversation) in zip(texts, [group, hello.conversation, hello.conversation]) {
                    _ = try await bob.outcome(of: try await bob.send(.text(text), to: conversation))
                    try await waiting(for: text) { shown.lines.contains { $0.contains(text) } }
                }
                greeting.cancel()
                _ = await greeting.result
            }
            let met = PeerKeyNotice.met(other.user, hasAccountKey: true)
            #expect(shown.lines.filter { $0 == "\(met)" }.count == 1)
            #expect(
                shown.lines.filter { $0 != "\(met)" } == [
                    "stored as number 1", "See you", "Hi", "Bye",
                ])
        }

        @Test("the page has the example as it is run here")
        func pageHasExample() throws {
            let page = try String(contentsOf: Document.folder.appending(path: "client.md"), encoding: .utf8)
            let source = try String(contentsOfFile: #filePath, encoding: .utf8)
            let begin = try #require(source.range(of: "func greet("))
            let end = try #require(source.range(of: "\n}\n", range: begin.lowerBound..<source.endIndex))
            #expect(page.contains("import ParleyProtocol\n\n\(source[begin.lowerBound..<end.upperBound])```\n"))
        }
    }
}
