import Foundation
import Logging
import ParleyClient
import ParleyProtocol
import ServiceLifecycle
import TestSupport
import Testing

// The example of `docs/client.md`, where it is in another package than the client.
extension ClientService: Service {}

/// Answers everybody who writes.
func answering(_ configuration: ClientConfiguration) -> ClientService {
    ClientService(configuration) { client in
        for await case .messageAdded(let message) in client.events() where message.sender.user != client.device.user {
            _ = try await client.send(.text("I am a service."), to: message.conversation, replyTo: message.id)
        }
    }
}

extension GatewayTests {
    @Suite("A client among the services of a server", .timeLimit(.minutes(20)))
    struct ServiceExampleTests {
        @Test("it runs in a group of services, and ends when it is asked to")
        func example() async throws {
            let (one, other) = try SharedGateway.chatters()
            try await befriend(one, other)
            try await other.chat { _ in }
            let service = answering(other.configuration)
            let running = taskOnOwnThreads { try await service.run() }
            try await one.chat { alice in
                var events = ClientEvents(alice)
                let conversation = try await alice.conversation(with: other.user).id
                let id = try await alice.send(.text("Hello"), to: conversation)
                let answer = try await events.message("an answer", from: other.user)
                #expect(answer.text == "I am a service." && answer.replyTo == id)
            }
            service.shutDown()
            try await running.value
        }

        @Test("a group of services stops it in order, and a cancelled one says so")
        func stopping() async throws {
            let device = try SharedGateway.current.chatter()
            let started = AsyncStream<Void>.makeStream()
            let service = ClientService(device.configuration) { client in
                try await client.ready(timeout: chatPatience)
                started.continuation.finish()
                for await _ in client.events() {}
            }
            let running = taskOnOwnThreads {
                try await withGracefulShutdownHandler {
                    try await service.run()
                } onGracefulShutdown: {
                    service.shutDown()
                }
            }
            for await _ in started.stream {}
            running.cancel()
            await #expect(throws: CancellationError.self) { try await running.value }
        }

        @Test("the page has the example as it is run here")
        func pageHasExample() throws {
            let page = try String(contentsOf: Document.folder.appending(path: "client.md"), encoding: .utf8)
            let source = try String(contentsOfFile: #filePath, encoding: .utf8)
            let begin = try #require(source.range(of: "extension ClientService"))
            let end = try #require(source.range(of: "\n}\n", range: begin.lowerBound..<source.endIndex))
            let example = source[begin.lowerBound..<end.upperBound]
                .replacing(": Service", with: ": @retroactive Service")
            #expect(page.contains("<!-- code: service -->\n\n```swift\n\(example)```\n"))
        }
    }
}
