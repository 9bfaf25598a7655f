import ParleyProtocol
import Testing

extension GatewayTests {
    @Suite("Catching up")
    final class SyncTests: PairSuite {
        private func fill(_ count: Int, _ conversation: String? = nil, by device: DeviceClient? = nil) throws {
            let device = device ?? alice
            let asked = try (0..<count).map { _ in
                try device.ask("messages/send", message(conversation ?? self.conversation).bytes)
            }
            for correlation in asked { _ = try device.reply(to: correlation) }
        }

        private func group(_ others: DeviceClient...) throws -> String {
            let made = try alice.accepted(
                "conversations/create",
                ["type": "group", "participant_ids": .array(others.map { .string($0.user) })])
            return try #require(made["id"].text)
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
            let carol = try gateway.connect(try gateway.person())
            let left = try group(bob, carol)
            try fill(5)
            let cursors: JSON = [
                conversation: ["epoch": try epoch(conversation), "seq": 3],
                left: ["epoch": try epoch(left), "seq": 0],
            ]
            // Away: bob's other device reads and leaves, alice writes on and makes a new conversation.
            let laptop = try gateway.connect(try gateway.device("laptop", of: bob.user))
            let read = try laptop.accepted("history/get", ["conversation_id": .string(conversation)])["messages"][3]
            try laptop.accepted(
                "receipts/read", ["conversation_id": .string(conversation), "message_id": read["id"]])
            try laptop.accepted("conversations/leave", ["conversation_id": .string(left)])
            try fill(2)
            let new = try group(bob)
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

        @Test("pages end with everything, whatever their size")
        func pages() throws {
            try fill(23)
            let second = try group(bob)
            try fill(9, second)
            var cursors: [String: (epoch: JSON, seq: Int)] = [
                conversation: (try epoch(conversation), 0), second: (try epoch(second), 0),
            ]
            var found: [String: [Int]] = [:]
            var pages = 0
            while true {
                let named = cursors.mapValues { JSON.object(["epoch": $0.epoch, "seq": .int($0.seq)]) }
                let page = try bob.accepted("sync/get", ["cursors": .object(named), "limit": 7])
                pages += 1
                for conversation in page["conversations"].elements {
                    let (id, seqs) = (try #require(conversation["conversation_id"].text), seqs(conversation))
                    found[id, default: []] += seqs
                    if let last = seqs.last { cursors[id]?.seq = last }
                }
                if page["complete"] == true { break }
            }
            #expect(pages == 5)
            #expect(found[conversation] == Array(1...23) && found[second] == Array(1...9))
        }

        @Test("a cursor of another epoch recovers nothing; not naming it brings the newest")
        func otherEpoch() throws {
            try fill(60)
            let page = try bob.accepted(
                "sync/get", ["cursors": [conversation: ["epoch": "not this one", "seq": 12]]])
            #expect(entry(page)["recovered"] == false && seqs(entry(page)).isEmpty)
            #expect(entry(page)["last_seq"] == 60 && page["complete"] == true)
            #expect(seqs(entry(try bob.accepted("sync/get", ["cursors": [:]]))) == Array(11...60))
        }

        @Test("a member sees from joining on, whatever the cursor says")
        func joined() throws {
            let id = try group(bob)
            try fill(5, id)
            let carol = try gateway.connect(try gateway.person())
            try alice.accepted(
                "conversations/add-members", ["conversation_id": .string(id), "user_ids": [.string(carol.user)]])
            try fill(2, id)
            let own = entry(
                try carol.accepted("sync/get", ["cursors": [id: ["epoch": try epoch(id), "seq": 1]]]), id)
            #expect(seqs(own) == [6, 7, 8] && own["unread_count"] == 2)
            #expect(seqs(entry(try carol.accepted("sync/get", ["cursors": [:]]), id)) == [6, 7, 8])
        }

        @Test("cursors that nobody was given change nothing and reveal nothing")
        func hostile() throws {
            try fill(3)
            let (carol, _, foreign) = try gateway.pair()
            try fill(4, foreign, by: carol)
            let epoch = try carol.accepted("conversations/get", ["conversation_id": .string(foreign)])["epoch"]
            let invented = newID()
            let page = try bob.accepted(
                "sync/get",
                [
                    "cursors": [
                        foreign: ["epoch": epoch, "seq": 0], invented: ["epoch": "e", "seq": 0],
                        conversation: ["epoch": try self.epoch(conversation), "seq": .int(.max)],
                    ]
                ])
            #expect(Set(page["left"].elements.compactMap(\.text)) == [foreign, invented])
            #expect(page["conversations"].elements.count == 1 && seqs(entry(page)).isEmpty)
            #expect(entry(page)["last_seq"] == 3 && entry(page)["unread_count"] == 3)
            for refused in [
                [:], ["cursors": []], ["cursors": [conversation: 3]], ["cursors": [conversation: ["epoch": "e"]]],
                ["cursors": [conversation: ["epoch": "e", "seq": -1]]], ["cursors": ["x": ["epoch": "e", "seq": 1]]],
                ["cursors": [:], "limit": 0], ["cursors": [:], "limit": 201], ["cursors": [:], "cursor": "AAAA"],
                ["cursors": [:], "cursor": 3],
            ] as [JSON] {
                #expect(try bob.refusal("sync/get", refused) == "bad_request", "\(refused)")
            }
        }
    }
}
