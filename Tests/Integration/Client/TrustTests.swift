import ParleyClient
import ParleyCrypto
import ParleyProtocol
import Testing

extension GatewayTests {
    @Suite("Clients and changed keys", .timeLimit(.minutes(20)))
    struct TrustTests {
        let gateway: TestGateway

        init() throws { gateway = try SharedGateway.current }

        @Test("a changed key holds up its conversation and no other until it is accepted, here or in another process")
        func changed() async throws {
            let (one, other, third) = (try gateway.chatter(), try gateway.chatter(), try gateway.chatter())
            for device in [other, third] { try await device.chat { _ in } }
            try await one.chat { alice in
                let conversation = try await alice.conversation(with: other.user).id
                let elsewhere = try await alice.conversation(with: third.user).id
                let first = try await alice.send(.text("to the first key"), to: conversation)
                _ = try await alice.outcome(of: first)
                // The same device, with nothing left of its keys.
                let again = try gateway.chatDevice("phone", of: other.user.text)
                try await again.chat { bob in
                    try await bob.account.reset()
                    var (atAlice, atBob) = (ClientEvents(alice), ClientEvents(bob))
                    let hidden = try await bob.send(.text("by the second key"), to: conversation)
                    let shown = try await atAlice.message(from: other.user)
                    #expect(shown.id == hidden && shown.content == .unreadable(.senderKeyChanged))
                    let held = try await alice.send(.text("held"), to: conversation)
                    let free = try await alice.send(.text("free"), to: elsewhere)
                    _ = try await alice.outcome(of: free)
                    let waiting = try await alice.history(of: conversation).messages.last
                    #expect(waiting?.id == held && waiting?.status == .queued)
                    #expect(await alice.keys.heldUser(in: conversation) == other.user)

                    let number = try await bob.keys.safetyNumber(with: one.user)
                    let compared = try await alice.keys.safetyNumber(with: other.user)
                    #expect(compared.number.digits == number.number.digits && !compared.isAccepted)
                    #expect(await alice.keys.isPending(other.user))
                    #expect(try await alice.keys.accept(compared.shown))
                    let opened = try await atAlice.message("what could not be opened", from: other.user)
                    #expect(opened.id == hidden && opened.text == "by the second key")
                    _ = try await alice.outcome(of: held)
                    let received = try await atBob.next("what was held") { event in
                        if let message = event.message, message.sender.user == one.user { message } else { nil }
                    }
                    _ = received
                    let history = try await bob.history(of: conversation).messages
                    #expect(history.last?.id == held && history.last?.text == "held")
                    #expect(await alice.keys.heldUser(in: conversation) == nil)
                }
            }
        }

        @Test("both sides compute the same safety number, with each device more, and another for another account key")
        func safetyNumber() async throws {
            let (one, other) = (try gateway.chatter(), try gateway.chatter())
            try await chat(one, other) { alice, bob in
                let number = try await alice.keys.safetyNumber(with: other.user).number
                let bobs = try await bob.keys.safetyNumber(with: one.user).number
                #expect(bobs.digits == number.digits && number.digits.utf8.count == 60)
                #expect(try await alice.keys.verify(other.user, code: bobs.code) == .match)
                #expect(await alice.keys.isVerified(other.user))
                let tablet = try gateway.chatDevice("tablet", of: other.user.text)
                try tablet.link(by: other)
                try await tablet.chat { _ in }
                #expect(try await alice.keys.safetyNumber(with: other.user).number == number)
                #expect(await alice.keys.isVerified(other.user))

                try await bob.account.reset()
                let changed = try await alice.keys.safetyNumber(with: other.user)
                #expect(changed.number.digits != number.digits && !changed.isAccepted)
                #expect(try await alice.keys.verify(other.user, code: bobs.code) == .mismatch)
                do {
                    try await alice.keys.accept(of: other.user, matching: number.description)
                    Issue.record("other keys were accepted than were compared")
                } catch ClientError.notAccepted(let error) {
                    #expect(error == .mismatch(other.user))
                }
                #expect(await alice.keys.isPending(other.user))
                #expect(try await alice.keys.accept(of: other.user, matching: changed.number.description))
                #expect(await alice.keys.isPending(other.user) == false)
                #expect(await alice.keys.isVerified(other.user) == false)
            }
        }

        @Test("a message for somebody without keys is set aside with the reason, and sent on retry when there are some")
        func noKeys() async throws {
            let (one, other) = (try gateway.chatter(), try gateway.chatter())
            try await one.chat { alice in
                let conversation = try await alice.conversation(with: other.user).id
                let id = try await alice.send(.text("anybody?"), to: conversation)
                do {
                    _ = try await alice.outcome(of: id)
                    Issue.record("it was sent")
                } catch ClientError.failed(.noRecipientKeys) {
                    // It waits for the app.
                }
                #expect(try await alice.failedMessages().map(\.id) == [id])
                try await other.chat { bob in
                    var atBob = ClientEvents(bob)
                    try await alice.retry(id)
                    _ = try await alice.outcome(of: id)
                    #expect(try await atBob.message().text == "anybody?")
                    #expect(try await alice.failedMessages().isEmpty)
                }
            }
        }

        @Test("what nobody can open is shown in its place, and what follows is read")
        func unreadable() async throws {
            let (one, other) = (try gateway.chatter(), try gateway.chatter())
            try await other.chat { bob in
                let conversation = try await one.chat { alice in
                    let conversation = try await alice.conversation(with: other.user).id
                    _ = try await alice.outcome(of: try await alice.send(.text("first"), to: conversation))
                    return conversation
                }
                // The same device by hand: bytes that nobody sealed, and a suite of which nothing is sealed so.
                let hand = try gateway.connect(
                    try one.configuration.directory.readCredentials(), DeviceClient.Options(connection: "hand"))
                for suite in ["x25519-hkdf-sha256-aes256gcm", "nacl-box"] {
                    let nonce = [UInt8](repeating: 7, count: suite == "nacl-box" ? 24 : 12)
                    try hand.accepted(
                        "messages/send",
                        message(
                            conversation.description, ["suite": .string(suite), "nonce": .string(base64(nonce))]))
                }
                hand.disconnect()
                try await one.chat { alice in
                    _ = try await alice.outcome(of: try await alice.send(.text("last"), to: conversation))
                }
                var messages: [ChatMessage] = []
                for _ in 0..<1000 where messages.last?.text != "last" {
                    messages = try await bob.history(of: conversation).messages
                }
                // The request to send them again may stand before it; nobody answers it.
                let seqs = messages.compactMap { $0.position?.seq }
                #expect(seqs.prefix(3) == [1, 2, 3] && seqs.count == 4)
                #expect(messages.map(\.text) == ["first", nil, nil, "last"])
                for message in messages[1...2] { #expect(message.content == .unreadable(.notAuthentic)) }
            }
        }
    }
}
