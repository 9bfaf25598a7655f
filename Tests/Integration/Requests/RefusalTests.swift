import ParleyProtocol
import Testing

extension GatewayTests {
    /// Bad input gets the error that the protocol names.
    @Suite("Refusals")
    final class RefusalTests: PairSuite {
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

        @Test("the largest message is accepted")
        func largest() throws {
            let content = base64([UInt8](repeating: 9, count: Limits.contentBytes))
            try alice.accepted("messages/send", message(conversation, ["encrypted_content": .string(content)]))
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
    }
}
