import ParleyClient
import ParleyCrypto
import ParleyProtocol
import Sodium
import TestSupport
import Testing

extension GatewayTests {
    @Suite("A client and an old app", .timeLimit(.minutes(20)))
    struct OldAppTests {
        private let gateway: TestGateway
        private let bob: ChatDevice

        init() async throws {
            gateway = try SharedGateway.current
            bob = try gateway.chatter()
            // The client's key is there before anybody writes.
            try await bob.chat { _ in }
        }

        private func oldApp() throws -> OldApp { try OldApp(gateway.client(), writingTo: bob.user.text) }

        @Test("what the app seals is delivered, opened, marked, found and kept; the answer is in a suite of today")
        func opened() async throws {
            let kept = try await bob.chat { [gateway, bob] client in
                let app = try OldApp(gateway.client(), writingTo: bob.user.text)
                var events = ClientEvents(client)
                let reply = try app.send("first")
                let first = try await events.message(from: UserID(validated: app.user))
                #expect(first.text == "first" && first.protection == .legacy)
                #expect(first.suite == .known(.legacyNaClBox))
                #expect(reply["data"]["id"].text == first.id.description)

                _ = try app.send("second", ["expires_in": 3600, "reply_to": .string(first.id.description)])
                let second = try await events.message(from: UserID(validated: app.user))
                #expect(second.text == "second" && second.protection == .legacy)
                #expect(second.expiresAt != nil && second.replyTo == first.id)
                #expect(try await client.search("second").map(\.protection) == [.legacy])

                let answer = try await client.send(.text("answer"), to: first.conversation, replyTo: second.id)
                _ = try await client.outcome(of: answer)
                #expect(
                    try app.history().map { $0["suite"].text } == [
                        "legacy-nacl-box", "legacy-nacl-box", "x25519-hkdf-sha256-aes256gcm",
                    ])
                let slice = try await client.history(of: first.conversation).messages
                #expect(slice.map(\.text) == ["first", "second", "answer"])
                #expect(slice.map(\.protection) == [.legacy, .legacy, .bound])
                return second
            }
            // From the device's database.
            try await bob.chat { client in
                let message = try await client.history(of: kept.conversation).messages.first { $0.id == kept.id }
                #expect(message?.text == "second" && message?.protection == .legacy)
            }
        }

        @Test("in a group, with a list of keys, or with another nonce the gateway refuses it")
        func refused() throws {
            let app = try oldApp()
            let fields: JSON = ["type": "group", "participant_ids": [.string(bob.user.text)]]
            let group = try app.client.accepted("conversations/create", fields)["id"].text
            let refused = try app.send("to all", to: group)["error"]
            #expect(refused["code"] == "bad_request")
            #expect(refused["message"].text?.contains("legacy-nacl-box") == true)
            #expect(try app.send("to one", ["recipient_keys": []])["error"]["code"] == "bad_request")
            #expect(try app.send("to one", ["nonce": .string(base64([1, 2, 3]))])["error"]["code"] == "bad_request")
            #expect(try app.history().isEmpty)
        }

        @Test("a repeat gets the first reply, and the same box as another suite is another message")
        func repeated() throws {
            let app = try oldApp()
            let message = try app.sealed("once")
            let first = try app.client.accepted("messages/send", message)
            #expect(try app.client.accepted("messages/send", message) == first)
            let other = try app.client.request("messages/send", message.with(["suite": "nacl-box"]))
            #expect(other["error"]["code"] == "conflict")
        }

        @Test("where a second device of the reader's could not open it, it is refused as stale")
        func secondDevice() throws {
            let app = try oldApp()
            let tablet = try gateway.client("tablet", of: bob.user.text)
            try tablet.accepted("keys/publish", ["identity_key": .string(base64(KeyPair().identityKey))])
            let refused = try app.send("to one of two")["error"]
            #expect(refused["code"] == "stale_devices")
            #expect(refused["missing"].elements.map { $0["device_id"].text } == ["phone", "tablet"])
        }

        @Test("an edit of the app's is stored, and the client shows the message as it was")
        func edited() async throws {
            let app = try oldApp()
            let sent = try app.send("first")["data"]["id"]
            try app.client.accepted("messages/edit", app.sealed("second").with(["message_id": sent]))
            let conversation = try #require(ConversationID(app.conversation))
            try await bob.chat { client in
                let log = try await client.history(of: conversation, withChanges: true).messages
                #expect(log.map(\.kind.name) == ["message", "edit"] && log.first?.text == "first")
                #expect(log.last?.content == .unreadable(.notBound) && log.first?.isEdited == false)
            }
        }
    }
}

/// An app of the older guides: it fetches the other's key and seals the content alone, with `crypto_box_easy`.
struct OldApp {
    let client: DeviceClient
    /// Of the two.
    let conversation: String
    private let other: String
    private let secret: X25519.SecretKey

    /// Publishes its key, and makes the conversation.
    init(_ client: DeviceClient, writingTo other: String) throws {
        (self.client, self.other) = (client, other)
        secret = try .generate()
        try client.accepted("keys/publish", ["identity_key": .string(base64(secret.publicKey.bytes))])
        conversation = try client.conversation(with: other)
    }

    var user: String { client.user }

    /// The fields of a message, sealed for the first device of the other.
    func sealed(_ text: String, _ changes: JSON = [:], in conversation: String? = nil) throws -> JSON {
        let listed = try client.accepted("keys/get", ["user_id": .string(other)])["devices"][0]["identity_key"]
        let base64Key = Array((listed.text ?? "").utf8)
        let identityKey = Base64.decode(base64Key.span)
        let key = try #require(identityKey)
        let nonce = try RandomBytes.make(count: Box.nonceLength)
        let content = JSONWriter.object { $0.member("text", text) }
        let shared = try Box.SharedKey(between: secret, and: X25519.PublicKey(key))
        let sealed = try shared.seal(content.span, nonce: nonce.span)
        let fields: JSON = [
            "suite": "legacy-nacl-box", "encrypted_content": .string(base64(sealed)), "nonce": .string(base64(nonce)),
        ]
        return message(conversation ?? self.conversation, fields.with(changes))
    }

    /// The reply to a message.
    func send(_ text: String, _ changes: JSON = [:], to conversation: String? = nil) throws -> JSON {
        try client.request("messages/send", sealed(text, changes, in: conversation))
    }

    func history() throws -> [JSON] {
        try client.accepted("history/get", ["conversation_id": .string(conversation)])["messages"].elements
    }
}
