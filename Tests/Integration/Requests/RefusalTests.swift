import ParleyProtocol
import Testing

extension GatewayTests {
    /// Bad input gets the error that the protocol names, and changes nothing.
    @Suite("Refusals")
    final class RefusalTests: PairSuite {
        private func expectNothingChanged() throws {
            let page = try alice.accepted("history/get", ["conversation_id": .string(conversation)])
            #expect(page["last_seq"] == 0)
        }

        @Test(
            "what is no request in JSON is a bad request",
            arguments: [
                "", " ", "null", "[]", "\"x\"", "{", "{}}", "{\"a\":1,}", "{\"a\":1,\"a\":2}", "{\"a\":NaN}",
                "\u{FEFF}{}", "{\"id\":\"\\ud800\"}", "{'id':1}", "{\"a\":01}",
                String(repeating: "[", count: 100_000),
                "{\"a\":" + String(repeating: "[", count: 16)
                    + String(repeating: "]", count: 16) + "}",
            ])
        func malformed(_ payload: String) throws {
            let reply = try alice.request("messages/send", payload: Array(payload.utf8))
            #expect(reply["ok"] == false)
            #expect(reply["error"]["code"] == "bad_request")
            #expect(reply["error"]["message"].text?.isEmpty == false)
        }

        @Test("bytes that are not UTF-8 are a bad request")
        func notUTF8() throws {
            let reply = try alice.request(
                "profile/set", payload: Array("{\"display_name\":\"".utf8) + [0xFF, 0x22, 0x7D])
            #expect(reply["error"]["code"] == "bad_request")
        }

        @Test("nesting of 16 is allowed, and 17 refused")
        func depth() throws {
            func nested(_ depth: Int) -> [UInt8] {
                let arrays = depth - 1
                return Array(
                    ("{\"unknown\":" + String(repeating: "[", count: arrays) + String(repeating: "]", count: arrays)
                        + "}").utf8)
            }
            #expect(try alice.request("profile/get", payload: nested(16))["ok"] == true)
            #expect(try alice.request("profile/get", payload: nested(17))["error"]["code"] == "bad_request")
        }

        @Test("a payload of 256 KiB is read, and one byte more is too large")
        func oversize() throws {
            func padded(_ count: Int) -> [UInt8] {
                Array("{}".utf8) + [UInt8](repeating: 0x20, count: count - 2)
            }
            #expect(try alice.request("profile/get", payload: padded(Limits.requestBytes))["ok"] == true)
            #expect(
                try alice.request("profile/get", payload: padded(Limits.requestBytes + 1))["error"]["code"]
                    == "too_large")
        }

        @Test(
            "a field of the wrong type, form or size is refused",
            arguments: [
                (["id": 5], "bad_request"), (["id": "x/#"], "bad_request"), (["id": "+"], "bad_request"),
                (["id": "0B0C0000-0000-4000-8000-000000000000"], "bad_request"), (["id": nil], "bad_request"),
                (["conversation_id": "a/b"], "bad_request"), (["conversation_id": ["x"]], "bad_request"),
                (["message_type": "system"], "bad_request"), (["message_type": "unknown"], "bad_request"),
                (["suite": "rot13"], "bad_request"), (["encrypted_content": "AAAA"], "bad_request"),
                (["encrypted_content": "not base64!"], "bad_request"),
                (["encrypted_content": "AAAAAAAAAAAAAAAAAAAAAAAAAAB="], "bad_request"),
                (["encrypted_content": .string(base64([UInt8](repeating: 0, count: 65_537)))], "too_large"),
                (["nonce": "BwcHBwcHBwcHBwc="], "bad_request"), (["nonce": "BwcHBwcHBwcHBwcHBw=="], "bad_request"),
                (["suite": "nacl-box"], "bad_request"), (["expires_in": 0], "bad_request"),
                (["expires_in": 31_536_001], "bad_request"), (["expires_in": 1.5], "bad_request"),
                (["expires_in": "60"], "bad_request"), (["recipient_keys": "x"], "bad_request"),
                (["recipient_keys": [1]], "bad_request"), (["reply_to": "x"], "bad_request"),
                (["reply": "pigeon"], "bad_request"),
                (["request_id": .string(String(repeating: "r", count: 65))], "bad_request"),
            ] as [(JSON, String)])
        func fields(_ change: JSON, _ code: String) throws {
            #expect(try alice.refusal("messages/send", message(conversation, change)) == code)
            try expectNothingChanged()
        }

        @Test("the largest message is accepted")
        func largest() throws {
            let content = base64([UInt8](repeating: 9, count: Limits.contentBytes))
            try alice.accepted("messages/send", message(conversation, ["encrypted_content": .string(content)]))
        }

        @Test("an unknown operation is not found", arguments: ["messages/shout", "nothing/get", "admin2/add-user"])
        func unknownOperation(_ operation: String) throws {
            #expect(try alice.refusal(operation) == "not_found")
        }

        @Test("a conversation that one is not in is answered exactly like one that does not exist")
        func foreignConversation() throws {
            let (carol, _, foreign) = try gateway.pair()
            try carol.accepted("messages/send", message(foreign))
            let page = try carol.accepted("history/get", ["conversation_id": .string(foreign)])
            let existing = page["messages"][0]["id"]
            for operation in [
                "messages/send", "history/get", "conversations/get", "receipts/read", "receipts/delivered",
            ] {
                let fields = message(foreign, ["message_id": existing])
                let refused = try alice.request(operation, fields)
                let missing = try alice.request(operation, fields.with(["conversation_id": .string(newID())]))
                #expect(refused == missing)
                #expect(refused["error"]["code"] == "not_found")
            }
        }

        @Test("the broker refuses to publish on another's topic, and on any but a request's")
        func foreignTopic() throws {
            let payload = message(conversation).bytes
            let topics = [
                "parley/v1/up/\(bob.user)/phone/messages/send", "parley/v1/up/\(alice.user)/tablet/messages/send",
                "parley/v1/conversations/\(conversation)/messages", "parley/v1/up/\(alice.user)/phone/messages",
                "parley/v1/down/\(alice.user)/phone/messages/send/accepted", "parley/v1/gateway/status",
                "parley/v1/up/~backlog", "$CONTROL/parley/v1", "parley/v1/up/\(alice.user)/phone/admin/list-users",
            ]
            for topic in topics { #expect(try alice.publish(topic, payload) == 0x87, "\(topic)") }
            #expect(try alice.publish("\(alice.up)/messages/send", payload, isRetained: true) == 0x87)
            try expectNothingChanged()
        }

        @Test("an operator has no conversations, and a person is no operator")
        func operators() throws {
            let console = try gateway.operatorClient()
            let direct: JSON = ["type": "direct", "participant_ids": [.string(alice.user)]]
            #expect(try console.refusal("conversations/create", direct) == "forbidden")
            let towards: JSON = ["type": "direct", "participant_ids": ["operator"]]
            #expect(try alice.refusal("conversations/create", towards) == "not_found")
            #expect(try alice.refusal("profile/get", ["user_id": "operator"]) == "not_found")
        }
    }
}
