import ParleyProtocol
import Testing

extension GatewayTests {
    @Suite("Changing")
    final class ChangeTests: PairSuite {
        private var topic: String { "conversations/\(conversation)/messages" }

        private func history(_ fields: JSON = [:], of device: DeviceClient? = nil) throws -> [JSON] {
            try (device ?? bob).accepted("history/get", fields.with(["conversation_id": .string(conversation)]))[
                "messages"
            ].elements
        }

        private func sent(by sender: DeviceClient? = nil, _ changes: JSON = [:]) throws -> JSON {
            let sent = message(conversation, changes)
            try (sender ?? alice).accepted("messages/send", sent)
            return sent["id"]
        }

        @Test(
            "a change is a record of its own: announced, answered, and in history",
            arguments: [
                ("messages/edit", "edit", "message.edited"), ("messages/delete", "delete", "message.deleted"),
                ("messages/react", "reaction", "message.reaction"),
            ])
        func changes(operation: String, kind: String, event: String) throws {
            try bob.listen(to: conversation, "messages")
            let target = try sent(["message_type": "voice"])
            let asked = change(of: target, in: conversation, kind)
            let data = try alice.accepted(operation, asked)
            #expect(data.keys == ["id", "epoch", "seq", "created_at"])
            #expect(data["id"] == asked["id"] && data["seq"] == 2)
            let record = try bob.event(event, on: topic)
            #expect(record["seq"] == 2 && record["kind"].text == kind && record["target_id"] == target)
            #expect(record["created_at"] == data["created_at"] && record["epoch"] == data["epoch"])
            #expect(record["sender_id"].text == alice.user && record["message_type"] == "voice")
            for field in ["suite", "encrypted_content", "nonce"] { #expect(record[field] == asked[field]) }
            #expect(record["expires_at"] == .null && record["reply_to"] == .null)
            #expect(try history(["after": 1]) == [record])
        }

        @Test("a device that was away learns of every change in order, live and from history")
        func away() throws {
            let credentials = try gateway.device("tablet", of: bob.user)
            let session = DeviceClient.Options(keepsSession: 600)
            var tablet = try gateway.connect(credentials, session)
            try tablet.listen(to: conversation, "messages")
            tablet.disconnect()
            let first = try sent()
            try alice.accepted("messages/edit", change(of: first, in: conversation, "edit"))
            try bob.accepted("messages/react", change(of: first, in: conversation, "reaction"))
            let second = try sent()
            try alice.accepted("messages/delete", change(of: first, in: conversation, "delete"))
            try bob.accepted("messages/react", change(of: second, in: conversation, "reaction"))
            tablet = try gateway.connect(credentials, session)
            let last = try tablet.until("the last of six") { () -> [JSON]? in
                let events = tablet.events(on: topic)
                return events.count == 6 ? events : nil
            }
            #expect(last.compactMap { $0["data"]["seq"].int } == Array(1...6))
            let kinds = ["message", "edit", "reaction", "message", "delete", "reaction"]
            #expect(last.compactMap { $0["data"]["kind"].text } == kinds)
            let log = try history()
            #expect(log.compactMap { $0["kind"].text } == kinds)
            #expect(log.map { $0["target_id"] } == [.null, first, first, .null, first, second])
            // A device that was away gets the deleted message from its queue; history has its content no more.
            #expect(last[0]["data"]["encrypted_content"] != .null)
            #expect(log.map { $0["encrypted_content"] == .null } == [true, true, false, false, true, false])
            for record in log where record["encrypted_content"] == .null {
                #expect(record["nonce"] == .null && record["recipient_keys"] == .null)
            }
        }

        @Test("an edit must be sealed for the devices there are")
        func staleDevices() throws {
            let target = try sent()
            for device in ["tablet", "laptop"] {
                let other = try gateway.client(device, of: bob.user)
                try other.accepted("keys/publish", ["identity_key": .string(base64(KeyPair().identityKey))])
            }
            #expect(try alice.refusal("messages/edit", change(of: target, in: conversation, "edit")) == "stale_devices")
            #expect(try alice.refusal("messages/delete", change(of: target, in: conversation, "delete")) == nil)
        }

        @Test("changes do not count as unread")
        func unread() throws {
            let target = try sent()
            try alice.accepted("messages/edit", change(of: target, in: conversation, "edit"))
            try alice.accepted("messages/react", change(of: target, in: conversation, "reaction"))
            #expect(try bob.accepted("conversations/list")["conversations"][0]["unread_count"] == 1)
        }
    }
}

/// The fields of a change.
func change(of target: JSON, in conversation: String, _ kind: String) -> JSON {
    let change: JSON = ["id": .string(newID()), "conversation_id": .string(conversation), "message_id": target]
    guard kind != "delete" else { return change }
    return change.with([
        "suite": "x25519-hkdf-sha256-aes256gcm",
        "encrypted_content": .string(base64((0..<40).map { _ in UInt8.random(in: 0...255) })),
        "nonce": .string(base64([UInt8](repeating: 7, count: 12))),
    ])
}
