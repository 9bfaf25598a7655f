import ParleyClient
import ParleyProtocol
import Testing

extension GatewayTests {
    @Suite("Clients of strangers", .timeLimit(.minutes(20)))
    struct StrangerTests {
        private let one: ChatDevice
        private let other: ChatDevice

        init() async throws {
            let gateway = try SharedGateway.current
            (one, other) = (try gateway.chatter(privacy: .followers), try gateway.chatter(privacy: .followers))
            // Keys are there before anybody writes.
            for device in [one, other] { try await device.chat { _ in } }
        }

        /// Alice's one message, and the refusal of her second.
        private func ask(_ alice: MessagingClient) async throws -> (ConversationID, second: MessageID) {
            let conversation = try await alice.conversation(with: other.user).id
            let first = try await alice.send(.text("May I?"), to: conversation)
            _ = try await alice.outcome(of: first)
            let second = try await alice.send(.text("Well?"), to: conversation)
            let error = await #expect(throws: ClientError.self) { _ = try await alice.outcome(of: second) }
            guard case .failed(.refused(let rejection))? = error else {
                Issue.record("the second was not set aside: \(String(describing: error))")
                return (conversation, second)
            }
            #expect(rejection.code == .requestLimit)
            return (conversation, second)
        }

        @Test("one message asks; accepted, the conversation opens for both, and what was set aside is sent")
        func accepted() async throws {
            try await chat(one, other) { alice, bob in
                var atBob = ClientEvents(bob)
                let (conversation, second) = try await ask(alice)
                let request = try await atBob.next("the request") { event -> ChatRequest? in
                    if case .messageRequest(let request) = event { request } else { nil }
                }
                #expect(request.user == one.user && request.conversation == conversation)
                #expect(request.message?.text == "May I?")
                #expect(await bob.conversations.all().isEmpty)
                #expect(try await bob.messageRequests.all() == [request])

                let summary = try await bob.messageRequests.accept(conversation)
                #expect(summary.isOpen && summary.peer(of: other.user) == one.user)
                #expect(try await bob.history(of: conversation).messages.map(\.text) == ["May I?"])
                #expect(try await bob.messageRequests.all().isEmpty)
                try await alice.retry(second)
                let sent = try await alice.outcome(of: second)
                #expect(sent.seq == 2)
                var texts: [String?] = []
                while texts.last != "Well?" { texts.append(try await atBob.message().text) }
            }
        }

        @Test("an answer accepts: it is sent into a conversation of which nothing was heard, and then all is")
        func answered() async throws {
            try await chat(one, other) { alice, bob in
                let (conversation, _) = try await ask(alice)
                let summary = try await bob.conversation(with: one.user)
                #expect(summary.id == conversation && !summary.isOpen)
                #expect(await bob.conversations.all().isEmpty)
                #expect(try await bob.history(of: conversation).messages.isEmpty)
                var (atAlice, atBob) = (ClientEvents(alice), ClientEvents(bob))
                let answer = try await bob.send(.text("Yes"), to: conversation)
                #expect(try await bob.outcome(of: answer).seq == 2)
                #expect(try await atAlice.message(from: other.user).text == "Yes")
                _ = try await atBob.next("the conversation") { event -> ConversationSummary? in
                    if case .conversationAdded(let summary) = event { summary } else { nil }
                }
                try await bob.ready(timeout: chatPatience)
                var texts: [String?] = []
                while texts.count < 2 { texts = try await bob.history(of: conversation).messages.map(\.text) }
                #expect(texts == ["May I?", "Yes"])
                #expect(await bob.conversations.all().map(\.id) == [conversation])
            }
        }

        @Test("declined or blocked, nothing more comes of it, and nothing is told")
        func declined() async throws {
            try await chat(one, other) { alice, bob in
                let (conversation, second) = try await ask(alice)
                try await bob.messageRequests.decline(conversation)
                #expect(try await bob.messageRequests.all().isEmpty)
                try await alice.retry(second)
                _ = await #expect(throws: ClientError.self) { _ = try await alice.outcome(of: second) }
                #expect(await bob.conversations.all().isEmpty)
                var atBob = ClientEvents(bob)
                try await bob.people.block(one.user)
                let blocked = try await atBob.next("the block") { event -> UserID? in
                    event.user(.userBlocked)
                }
                #expect(blocked == one.user)
                #expect(try await bob.people.blocked().items.map(\.user) == [one.user])
                #expect(try await alice.people.canMessage(other.user).canMessage == false)
            }
        }

        @Test("friends are told of each other, and no longer")
        func friends() async throws {
            try await one.chat { alice in
                var atAlice = ClientEvents(alice)
                try await befriend(one, other)
                let added = try await atAlice.next("a friend") { event -> UserID? in
                    event.user(.friendAdded)
                }
                #expect(added == other.user)
                #expect(try await alice.people.followers().items.map(\.user) == [other.user])
                #expect(try await alice.people.canMessage(other.user).canMessage)
                try await alice.people.unfollow(other.user)
                let removed = try await atAlice.next("no friend") { event -> UserID? in
                    event.user(.friendRemoved)
                }
                #expect(removed == other.user)
                #expect(try await alice.people.following().items.isEmpty)
            }
        }
    }
}

extension ClientEvent {
    /// Whom a notice of this kind is about.
    fileprivate func user(_ kind: PersonNotice.Kind) -> UserID? {
        guard case .gateway(let notice as PersonNotice) = self, notice.kind == kind else { return nil }
        return notice.user
    }
}
