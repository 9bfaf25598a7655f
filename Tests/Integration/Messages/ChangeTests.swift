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
            // What was deleted is announced as it was to who was away, and no more to be had.
            #expect(last[0]["data"]["encrypted_content"] != .null)
            #expect(log.map { $0["encrypted_content"] == .null } == [true, true, false, false, true, false])
            for record in log where record["encrypted_content"] == .null {
                #expect(record["nonce"] == .null && record["recipient_keys"] == .null)
            }
        }

        @Test("others than the sender may react, and neither edit nor delete; strangers may do nothing")
        func others() throws {
            let target = try sent()
            let (carol, _, _) = try gateway.pair()
            let operations = ["messages/edit": "edit", "messages/delete": "delete", "messages/react": "reaction"]
            for (operation, kind) in operations {
                let refusal = try bob.refusal(operation, change(of: target, in: conversation, kind))
                #expect(refusal == (kind == "reaction" ? nil : "forbidden"))
                #expect(try carol.refusal(operation, change(of: target, in: conversation, kind)) == "not_found")
            }
            let tablet = try gateway.connect(try gateway.device("tablet", of: alice.user))
            #expect(try tablet.refusal("messages/edit", change(of: target, in: conversation, "edit")) == nil)
            #expect(try tablet.refusal("messages/delete", change(of: target, in: conversation, "delete")) == nil)
            #expect(try history().compactMap { $0["kind"].text } == ["message", "reaction", "edit", "delete"])
        }

        @Test("what is no message of the conversation, or not any more, is not changed")
        func targets() throws {
            let (_, _, elsewhere) = try gateway.pair()
            let target = try sent()
            let reaction = change(of: target, in: conversation, "reaction")
            try alice.accepted("messages/react", reaction)
            func refusals(_ message: JSON, _ conversation: String) throws -> [String?] {
                try [("messages/edit", "edit"), ("messages/delete", "delete"), ("messages/react", "reaction")].map {
                    try alice.refusal($0, change(of: message, in: conversation, $1))
                }
            }
            #expect(try refusals(.string(newID()), conversation) == ["not_found", "not_found", "not_found"])
            #expect(try refusals(target, elsewhere) == ["not_found", "not_found", "not_found"])
            #expect(try refusals(target, newID()) == ["not_found", "not_found", "not_found"])
            #expect(try refusals(reaction["id"], conversation) == ["bad_request", "bad_request", "bad_request"])
            // Edited, deleted; and nobody reacts to what is deleted.
            #expect(try refusals(target, conversation) == [nil, nil, "not_found"])
            #expect(try history().count == 4)
        }

        @Test("a repeat gets the first reply, also of what is gone meanwhile; other content is a conflict")
        func repeats() throws {
            try bob.listen(to: conversation, "messages")
            let target = try sent()
            let asked = [
                ("messages/edit", change(of: target, in: conversation, "edit")),
                ("messages/react", change(of: target, in: conversation, "reaction")),
                ("messages/delete", change(of: target, in: conversation, "delete")),
            ]
            let first = try asked.map { try alice.accepted($0, $1) }
            #expect(try asked.map { try alice.accepted($0, $1) } == first)
            for (operation, fields) in asked.prefix(2) {
                let other = fields.with(["encrypted_content": .string(base64([UInt8](repeating: 1, count: 40)))])
                #expect(try alice.refusal(operation, other) == "conflict")
            }
            #expect(try alice.refusal("messages/edit", asked[1].1) == "conflict")
            // Done is done, whatever the request is called.
            let again = try alice.accepted("messages/delete", change(of: target, in: conversation, "delete"))
            #expect(again == first[2])
            #expect(try history().count == 4)
            #expect(bob.events(on: topic).count == 4)
        }

        @Test("an edit must be sealed for the devices there are")
        func staleDevices() throws {
            let target = try sent()
            for device in ["tablet", "laptop"] {
                let other = try gateway.connect(try gateway.device(device, of: bob.user))
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

        @Test(
            "what is malformed is refused",
            arguments: [
                ("messages/edit", ["message_id": nil]), ("messages/edit", ["message_id": "x"]),
                ("messages/edit", ["encrypted_content": nil]), ("messages/edit", ["encrypted_content": "AAAA"]),
                ("messages/edit", ["nonce": "AAAA"]), ("messages/edit", ["suite": "rot13"]),
                ("messages/react", ["id": 7]), ("messages/react", ["recipient_keys": "none"]),
                ("messages/delete", ["conversation_id": nil]), ("messages/delete", ["id": nil]),
                ("messages/delete", ["message_id": ["a", "b"]]),
            ] as [(String, JSON)])
        func malformed(operation: String, _ flaw: JSON) throws {
            let target = try sent()
            let fields = change(of: target, in: conversation, "edit").with(flaw)
            #expect(try alice.refusal(operation, fields) == "bad_request")
            #expect(try alice.refusal(operation, change(of: target, in: conversation, "edit")) == nil)
        }
    }
}

/// What a change needs, beside what a test says of it.
func change(of target: JSON, in conversation: String, _ kind: String) -> JSON {
    let change: JSON = ["id": .string(newID()), "conversation_id": .string(conversation), "message_id": target]
    guard kind != "delete" else { return change }
    return change.with([
        "suite": "x25519-hkdf-sha256-aes256gcm",
        "encrypted_content": .string(base64((0..<40).map { _ in UInt8.random(in: 0...255) })),
        "nonce": .string(base64([UInt8](repeating: 7, count: 12))),
    ])
}
