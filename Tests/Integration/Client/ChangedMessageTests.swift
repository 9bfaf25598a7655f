import ParleyClient
import ParleyProtocol
import Testing

extension GatewayTests {
    @Suite("Clients that edit, delete and react", .timeLimit(.minutes(20)))
    struct ChangedMessageTests {
        private let one: ChatDevice
        private let other: ChatDevice

        init() async throws {
            (one, other) = try SharedGateway.chatters()
            // Keys are there before anybody writes.
            for device in [one, other] { try await device.chat { _ in } }
        }

        /// The message as it is given out once it is as it should be.
        private func awaited(
            _ id: MessageID, _ events: inout ClientEvents, _ what: String, _ isSo: (ChatMessage) -> Bool
        ) async throws -> ChatMessage {
            try await events.next(what) { event in
                guard let message = event.message, message.id == id, message.position != nil, isSo(message)
                else {
                    return nil
                }
                return message
            }
        }

        @Test(
            "the other sees them live, with each suite, and so do search and history", arguments: Suite.Bound.allCases)
        func live(suite: Suite.Bound) async throws {
            try await chat(one, other) { alice, bob in
                let conversation = try await alice.conversation(with: other.user).id
                var atBob = ClientEvents(bob)
                let id = try await alice.send(.text("first words"), to: conversation, suite: suite)
                _ = try await awaited(id, &atBob, "the message") { $0.text == "first words" }

                let edit = try await alice.edit(id, in: conversation, to: .text("second thoughts"))
                #expect(try await alice.history(of: conversation).messages.last?.text == "second thoughts")
                let edited = try await awaited(id, &atBob, "the edit") { $0.isEdited }
                #expect(edited.text == "second thoughts" && edited.reactions.isEmpty)
                #expect(try await alice.outcome(of: edit).id == edit)
                #expect(try await bob.search("second").map(\.id) == [id])
                #expect(try await bob.search("first", in: conversation).isEmpty)

                try await bob.react(to: id, in: conversation, with: "👍")
                let again = try await bob.react(to: id, in: conversation, with: "❤️")
                _ = try await bob.outcome(of: again)
                try await alice.react(to: id, in: conversation, with: "👀")
                let reacted = try await awaited(id, &atBob, "reactions") { $0.reactions.count == 2 }
                #expect(reacted.reactions == [one.user: "👀", other.user: "❤️"])
                try await alice.react(to: id, in: conversation, with: "")
                _ = try await awaited(id, &atBob, "one fewer") { $0.reactions == [other.user: "❤️"] }

                try await alice.delete(id, in: conversation)
                let gone = try await awaited(id, &atBob, "the deletion") { $0.content == .removed }
                #expect(gone.reactions.isEmpty && !gone.isEdited)
                #expect(try await bob.search("second", in: conversation).isEmpty)
                for client in [alice, bob] {
                    try await client.ready(timeout: chatPatience)
                    let slice = try await client.history(of: conversation)
                    #expect(slice.messages.map(\.content) == [.removed])
                    let log = try await client.history(of: conversation, withChanges: true)
                    #expect(
                        log.messages.map(\.kind.name) == ["message", "edit"]
                            + Array(repeating: "reaction", count: 4) + ["delete"])
                }
            }
        }

        @Test("nobody edits or deletes what another wrote, and nothing changes what is no message")
        func refused() async throws {
            try await chat(one, other) { alice, bob in
                let conversation = try await alice.conversation(with: other.user).id
                var atBob = ClientEvents(bob)
                let id = try await alice.send(.text("mine"), to: conversation)
                _ = try await atBob.message()
                for attempt in [
                    { try await bob.edit(id, in: conversation, to: .text("yours")) },
                    { try await bob.delete(id, in: conversation) },
                    { try await alice.edit(.random(), in: conversation, to: .text("nothing")) },
                    { try await alice.react(to: id, in: conversation, with: String(repeating: "x", count: 65)) },
                ] as [@Sendable () async throws -> MessageID] {
                    await #expect(throws: ClientError.self) { try await attempt() }
                }
                let deletion = try await alice.delete(id, in: conversation)
                _ = try await alice.outcome(of: deletion)
                await #expect(throws: ClientError.self) {
                    try await alice.edit(id, in: conversation, to: .text("back"))
                }
                #expect(try await alice.history(of: conversation).messages.map(\.content) == [.removed])
            }
        }

        @Test("what was changed without a connection is shown at once, and sent in its order when there is one")
        func offline() async throws {
            let conversation = try await one.chat { alice in
                let conversation = try await alice.conversation(with: other.user).id
                _ = try await alice.outcome(of: try await alice.send(.text("0"), to: conversation))
                return conversation
            }
            var stranded = one
            stranded.configuration.connection.gateway = .unixSocket(path: "/nonexistent/parley")
            let written = try await MessagingClient.open(stranded.configuration) { alice in
                let id = try await alice.send(.text("draft"), to: conversation)
                try await alice.edit(id, in: conversation, to: .text("better"))
                try await alice.react(to: id, in: conversation, with: "👍")
                let shown = try await alice.history(of: conversation).messages
                #expect(shown.map(\.text) == ["0", "better"])
                #expect(shown.last?.reactions == [one.user: "👍"] && shown.last?.status == .queued)
                let dropped = try await alice.edit(id, in: conversation, to: .text("dropped"))
                #expect(try await alice.history(of: conversation).messages.last?.text == "dropped")
                try await alice.discard(dropped)
                #expect(try await alice.history(of: conversation).messages.last?.text == "better")
                return id
            }
            try await one.chat { alice in
                let last = try await alice.edit(written, in: conversation, to: .text("best"))
                _ = try await alice.outcome(of: last)
            }
            try await other.chat { bob in
                let log = try await bob.history(of: conversation, withChanges: true).messages
                #expect(log.map(\.kind.name) == ["message", "message", "edit", "reaction", "edit"])
                #expect(log.compactMap { $0.position?.seq } == Array(1...5))
                let message = try #require(try await bob.history(of: conversation).messages.last)
                #expect(message.text == "best" && message.reactions == [one.user: "👍"])
            }
        }

        @Test("a device that was away, and one that is new, learn of everything in order")
        func away() async throws {
            let gateway = try SharedGateway.current
            let tablet = try gateway.chatDevice("tablet", of: other.user.text)
            // Both devices of Bob have keys, so that both can open what comes.
            try await other.chat { _ in }
            try tablet.link(by: other)
            try await tablet.chat { _ in }
            let (conversation, ids) = try await one.chat { alice in
                let conversation = try await alice.conversation(with: other.user).id
                var ids: [MessageID] = []
                for number in 0..<3 { ids.append(try await alice.send(.text("\(number)"), to: conversation)) }
                _ = try await alice.outcome(of: ids[2])
                return (conversation, ids)
            }
            // Held here, and changed while nobody is there.
            try await other.chat { bob in
                let messages = try await bob.history(of: conversation).messages
                #expect(messages.count == 3)
            }
            try await one.chat { alice in
                try await alice.edit(ids[0], in: conversation, to: .text("zero"))
                try await alice.delete(ids[1], in: conversation)
                try await alice.react(to: ids[2], in: conversation, with: "👍")
                let last = try await alice.edit(ids[0], in: conversation, to: .text("nought"))
                _ = try await alice.outcome(of: last)
            }
            for device in [other, tablet] {
                try await device.chat { bob in
                    let messages = try await bob.history(of: conversation).messages
                    #expect(messages.map(\.id) == ids)
                    #expect(messages.map(\.text) == ["nought", nil, "2"])
                    #expect(messages[1].content == .removed && messages[2].reactions == [one.user: "👍"])
                    #expect(await bob.conversations.all().first?.unreadCount == 2)
                    #expect(try await bob.search("nought").map(\.id) == [ids[0]])
                    #expect(try await bob.search("zero").isEmpty)
                }
            }
        }
    }
}
