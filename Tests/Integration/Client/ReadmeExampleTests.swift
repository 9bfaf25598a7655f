import Foundation
import ParleyClient
import ParleyProtocol
import TestSupport
import Testing

// The example of `README.md`.
func say(_ text: String, to bob: UserID, as alice: ClientConfiguration) async throws -> Int {
    try await MessagingClient.open(alice) { client in
        try await client.ready()
        let chat = try await client.conversation(with: bob)
        let id = try await client.send(.text(text), to: chat.id)
        return try await client.outcome(of: id).seq  // its number in the conversation: it is stored
    }
}

extension GatewayTests {
    @Suite("README.md", .timeLimit(.minutes(20)))
    struct ReadmeExampleTests {
        private let page: String

        init() throws {
            let root = Document.folder.deletingLastPathComponent()
            page = try String(contentsOf: root.appending(path: "README.md"), encoding: .utf8)
        }

        @Test("its lines of Swift send a message that the other one reads")
        func example() async throws {
            let (one, other) = try SharedGateway.chatters()
            try await befriend(one, other)
            try await one.chat { _ in }
            try await other.chat { bob in
                var events = ClientEvents(bob)
                let seq = try await say("See you at six", to: other.user, as: one.configuration)
                let message = try await events.message()
                #expect(seq == 1 && message.text == "See you at six")
            }
        }

        @Test("it shows the lines that are run here, and the line of a gateway of this version")
        func shown() throws {
            let source = try String(contentsOfFile: #filePath, encoding: .utf8)
            let begin = try #require(source.range(of: "func say("))
            let end = try #require(source.range(of: "\n}\n", range: begin.lowerBound..<source.endIndex))
            #expect(page.contains("import ParleyProtocol\n\n\(source[begin.lowerBound..<end.upperBound])```\n"))
            let line = "parley: ready, devices at mqtt://127.0.0.1:1893 (parleyd \(parleyVersion), data in …/data)"
            #expect(page.contains("\n\(line)\n"))
        }
    }
}
