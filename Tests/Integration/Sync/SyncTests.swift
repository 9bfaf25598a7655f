import ParleyProtocol
import Testing

extension GatewayTests {
    @Suite("Catching up")
    final class SyncTests: PairSuite {
        private func fill(_ count: Int, _ conversation: String? = nil) throws {
            for _ in 0..<count { try alice.accepted("messages/send", message(conversation ?? self.conversation)) }
        }

        private func epoch(_ conversation: String) throws -> JSON {
            try alice.accepted("conversations/get", ["conversation_id": .string(conversation)])["epoch"]
        }

        private func entry(_ page: JSON, _ id: String? = nil) -> JSON {
            page["conversations"].elements.first { $0["conversation_id"].text == id ?? conversation } ?? .null
        }

        private func seqs(_ entry: JSON) -> [Int] { entry["messages"].elements.compactMap { $0["seq"].int } }

        @Test("a device that was away learns of what was written, read, made and left, in one request")
        func away() throws {
            let carol = try gateway.client()
            let left = try alice.group(with: bob, carol)
            try fill(5)
            let cursors: JSON = [
                conversation: ["epoch": try epoch(conversation), "seq": 3],
                left: ["epoch": try epoch(left), "seq": 0],
            ]
            // Away: bob's other device reads and leaves, alice writes on and makes a new conversation.
            let laptop = try gateway.client("laptop", of: bob.user)
            let read = try laptop.accepted("history/get", ["conversation_id": .string(conversation)])["messages"][3]
            try laptop.accepted(
                "receipts/read", ["conversation_id": .string(conversation), "message_id": read["id"]])
            try laptop.accepted("conversations/leave", ["conversation_id": .string(left)])
            try fill(2)
            let new = try alice.group(with: bob)
            try fill(3, new)

            let page = try bob.accepted("sync/get", ["cursors": cursors])
            #expect(page["complete"] == true && page["next_cursor"] == .null)
            #expect(page["left"].elements.compactMap(\.text) == [left])
            #expect(page["conversations"].elements.count == 2)
            let known = entry(page)
            #expect(seqs(known) == [4, 5, 6, 7] && known["recovered"] == true && known["conversation"] == .null)
            #expect(known["unread_count"] == 3 && known["last_seq"] == 7)
            #expect(known["watermarks"][bob.user] == ["delivered": 4, "read": 4])
            let made = entry(page, new)
            #expect(seqs(made) == [1, 2, 3] && made["unread_count"] == 3)
            #expect(made["conversation"]["id"].text == new && made["is_muted"] == false)
            // The sender is told how far their own have come.
            let own = entry(try alice.accepted("sync/get", ["cursors": [:]]))
            #expect(
                own["messages"].elements.map { $0["status"].text } == [
                    "read", "read", "read", "read", "sent", "sent", "sent",
                ])
            #expect(own["watermarks"][bob.user] == ["delivered": 4, "read": 4])
        }
    }
}
