import ParleyClient
import ParleyCrypto
import ParleyProtocol
import TestSupport
import Testing

extension GatewayTests {
    /// Messages that were sealed for keys that are gone when they come.
    @Suite("Messages that could not be opened", .timeLimit(.minutes(20)))
    struct ResendingTests {
        private let gateway: TestGateway
        private let one: ChatDevice
        private let other: ChatDevice

        init() throws {
            gateway = try SharedGateway.current
            (one, other) = (try gateway.chatter(), try gateway.chatter())
        }

        /// The same device of the same user, with new keys, certified by the account key that was recovered.
        private func anew(_ device: ChatDevice) throws -> ChatDevice {
            let again = try gateway.chatDevice(device.address.device.text, of: device.user.text)
            try again.link(by: device)
            return again
        }

        /// Sends a text to the other one, who has published keys and is away.
        private func sendToAbsent(_ text: String, by sender: ChatDevice) async throws -> (ConversationID, MessageID) {
            try await other.chat { _ in }
            return try await sender.chat { alice in
                let conversation = try await alice.conversation(with: other.user).id
                let id = try await alice.send(.text(text), to: conversation)
                _ = try await alice.outcome(of: id)
                return (conversation, id)
            }
        }

        private func asked(_ events: inout ClientEvents) async throws -> (MessageID, DeviceAddress) {
            try await events.next("that the sender was asked") { event in
                if case .resendRequested(let id, _, let device) = event { (id, device) } else { nil }
            }
        }

        private func resent(_ events: inout ClientEvents) async throws -> (MessageID, DeviceAddress) {
            try await events.next("that it was sealed anew") { event in
                if case .resent(let id, _, let device) = event { (id, device) } else { nil }
            }
        }

        /// Runs `body` with a client that has all there is, and everything that it has told from the beginning.
        private func hear<Value: Sendable>(
            _ device: ChatDevice, _ body: @Sendable (MessagingClient, inout ClientEvents) async throws -> Value
        ) async throws -> Value {
            try await MessagingClient.open(device.configuration) { client in
                var events = ClientEvents(client)
                try await client.ready(timeout: chatPatience)
                return try await body(client, &events)
            }
        }

        /// The records of a conversation's log, as the gateway has them.
        private func log(_ conversation: ConversationID, by device: ChatDevice) async throws -> [MessageRecord] {
            try await DeviceConnection.open(device.configuration.connection) { connection in
                let requests = GatewayRequests(connection, timeout: chatPatience)
                return try await requests.ask(GetHistory(conversation: conversation, limit: 200)).messages
            }
        }

        /// Waits until a client shows these messages of a conversation, none of them as edited.
        private func awaitTexts(_ texts: [String], of conversation: ConversationID, at client: MessagingClient)
            async throws
        {
            try await waiting(for: "the texts \(texts)") {
                let shown = try await client.history(of: conversation).messages
                return shown.map(\.text) == texts && shown.allSatisfy { !$0.isEdited }
            }
        }

        @Test("is sealed anew by its sender's client, once; it stays unread until then, and is not shown as edited")
        func direct() async throws {
            try await other.chat { _ in }
            let (conversation, id) = try await one.chat { alice in
                let conversation = try await alice.conversation(with: other.user).id
                _ = try await alice.outcome(of: try await alice.send(.text("before"), to: conversation))
                return (conversation, try await alice.send(.text("for keys that are gone"), to: conversation))
            }
            try await one.chat { alice in _ = try await alice.outcome(of: id) }
            // Its first message it has had, and its user has read.
            let again = try anew(other)
            let after = try await hear(again) { bob, events in
                let (_, sender) = try await asked(&events)
                #expect(sender == one.address)
                let shown = try await bob.history(of: conversation).messages
                #expect(shown.map(\.content) == [.unreadable(.notAuthentic), .unreadable(.notAuthentic)])
                try await bob.markRead(conversation, upTo: id)
                #expect(await bob.conversations.all().first?.unreadCount == 2)
                // One that can be opened comes after it, and does not take it along.
                let later = try await hear(one) { alice, atAlice in
                    let later = try await alice.send(.text("later"), to: conversation)
                    for _ in 0..<2 {
                        let (_, reader) = try await resent(&atAlice)
                        #expect(reader == other.address)
                    }
                    _ = try await alice.outcome(of: later)
                    let own = try await alice.history(of: conversation).messages
                    #expect(own.map(\.text) == ["before", "for keys that are gone", "later"])
                    #expect(own.allSatisfy { !$0.isEdited })
                    return later
                }
                try await awaitTexts(["before", "for keys that are gone", "later"], of: conversation, at: bob)
                #expect(await bob.conversations.all().first?.unreadCount == 3)
                try await bob.markRead(conversation, upTo: later)
                #expect(await bob.conversations.all().first?.unreadCount == 0)
                return try await log(conversation, by: one)
            }
            #expect(after.count { $0.kind == .known(.reaction) } == 2 && after.count { $0.kind == .known(.edit) } == 2)
            // New keys once more: both ask no more than once for each message.
            let third = try anew(again)
            try await one.chat { alice in
                try await third.chat { bob in
                    var atAlice = ClientEvents(alice)
                    _ = try await bob.send(.text("marker"), to: conversation)
                    let heard = try await atAlice.message("the marker", from: other.user)
                    #expect(heard.text == "marker")
                }
            }
            let edits = try await log(conversation, by: one).count { $0.kind == .known(.edit) }
            #expect(edits == 2, "of each message once")
        }

        @Test("one who gives it up marks it as read")
        func givenUp() async throws {
            let (conversation, id) = try await sendToAbsent("gone", by: one)
            try await anew(other).chat { bob in
                try await bob.markRead(conversation, upTo: id)
                #expect(await bob.conversations.all().first?.unreadCount == 1)
                try await bob.markRead(conversation, upTo: id, passingUnopened: true)
                #expect(await bob.conversations.all().first?.unreadCount == 0)
            }
        }

        @Test("a client that keeps nothing seals nothing anew, however often it finds that it was asked")
        func memory() async throws {
            var sender = one
            sender.configuration.storage = .memory
            let (conversation, _) = try await sendToAbsent("gone", by: sender)
            try await hear(try anew(other)) { bob, events in
                _ = try await asked(&events)
                _ = try await bob.outcome(of: try await bob.send(.text("behind it"), to: conversation))
            }
            for _ in 0..<2 {
                try await sender.chat { alice in
                    _ = try await alice.outcome(of: try await alice.send(.text("marker"), to: conversation))
                }
            }
            let kinds = try await log(conversation, by: one).map(\.kind)
            #expect(kinds.contains(.known(.reaction)) && !kinds.contains(.known(.edit)))
        }

        @Test("who was asked before the key was accepted answers when it is, though the app was closed in between")
        func acceptedLater() async throws {
            let (conversation, id) = try await sendToAbsent("first", by: one)
            let words = ["first", "behind it", "after it"]
            let again = try gateway.chatDevice("phone", of: other.user.text)
            try await hear(again) { bob, events in
                try await bob.account.reset()
                _ = try await asked(&events)
                _ = try await bob.outcome(of: try await bob.send(.text("behind it"), to: conversation))
            }
            try await one.chat { alice in
                let last = try await alice.history(of: conversation).messages.last
                #expect(last?.content == .unreadable(.senderKeyChanged))
            }
            try await one.chat { alice in
                var events = ClientEvents(alice)
                let compared = try await alice.keys.safetyNumber(with: other.user)
                try await alice.keys.accept(compared.shown)
                let (answered, _) = try await resent(&events)
                #expect(answered == id)
                _ = try await alice.outcome(of: try await alice.send(.text("after it"), to: conversation))
                try await waiting(for: "the texts \(words)") {
                    try await alice.history(of: conversation).messages.map(\.text) == words
                }
            }
            try await again.chat { bob in
                try await awaitTexts(words, of: conversation, at: bob)
            }
        }

        @Test("an account that was reset asks once its key was accepted")
        func reset() async throws {
            let (conversation, id) = try await sendToAbsent("first", by: one)
            let again = try gateway.chatDevice("phone", of: other.user.text)
            try await again.chat { bob in
                try await bob.account.reset()
                try await one.chat { alice in
                    var atAlice = ClientEvents(alice)
                    let compared = try await alice.keys.safetyNumber(with: other.user)
                    try await alice.keys.accept(compared.shown)
                    let (answered, _) = try await resent(&atAlice)
                    #expect(answered == id)
                    try await awaitTexts(["first"], of: conversation, at: bob)
                }
            }
        }

        @Test("in a group it is sealed anew for those who were in it, and for nobody who came later")
        func group() async throws {
            let late = try gateway.chatter()
            for device in [other, late] { try await device.chat { _ in } }
            for device in [other, late] { try await befriend(one, device) }
            let (conversation, id) = try await one.chat { alice in
                let conversation = try await alice.groups.create(name: "Run", with: [other.user]).id
                let id = try await alice.send(.text("among two"), to: conversation)
                _ = try await alice.outcome(of: id)
                _ = try await alice.groups.add([late.user], to: conversation)
                return (conversation, id)
            }
            let again = try anew(other)
            try await late.chat { carol in
                _ = try await carol.conversation(conversation)
                try await again.chat { bob in
                    try await hear(one) { alice, atAlice in
                        let (answered, reader) = try await resent(&atAlice)
                        #expect(answered == id && reader == again.address)
                        let marker = try await alice.send(.text("among three"), to: conversation)
                        _ = try await alice.outcome(of: marker)
                        try await waiting(for: "both to be found") { try await bob.search("among").count == 2 }
                    }
                }
                let shown = try await carol.history(of: conversation).messages
                #expect(shown.contains { $0.text == "among two" } == false)
            }
            let edit = try #require(try await log(conversation, by: one).first { $0.kind == .known(.edit) })
            let named = try #require(edit.recipientKeys?.value)
            #expect(named.filter { !$0.isLeftOut }.map(\.address) == [again.address])
            #expect(named.filter(\.isLeftOut).map(\.address) == [late.address])
        }
    }
}
