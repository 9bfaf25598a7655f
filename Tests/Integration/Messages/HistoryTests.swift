import ParleyProtocol
import Testing

extension GatewayTests {
    @Suite("History")
    final class HistoryTests: PairSuite {
        private func fill(_ count: Int, _ changes: JSON = [:]) throws -> [String] {
            let ids = (0..<count).map { _ in newID() }
            let asked = try ids.map { id in
                try alice.ask("messages/send", message(conversation, id: id, changes).bytes)
            }
            for correlation in asked { _ = try alice.reply(to: correlation) }
            return ids
        }

        private func page(_ fields: JSON = [:]) throws -> JSON {
            try bob.accepted("history/get", fields.with(["conversation_id": .string(conversation)]))
        }

        private func seqs(_ page: JSON) -> [Int] { page["messages"].elements.compactMap { $0["seq"].int } }

        private func expect(
            _ page: JSON, _ expected: some Sequence<Int>, hasMore: Bool, cursor: Int?, oldest: Bool, newest: Bool,
            location: SourceLocation = #_sourceLocation
        ) {
            #expect(seqs(page) == Array(expected), sourceLocation: location)
            #expect(page["has_more"] == .bool(hasMore), sourceLocation: location)
            #expect(page["next_cursor"].int == cursor, sourceLocation: location)
            #expect(page["found_oldest"] == .bool(oldest), sourceLocation: location)
            #expect(page["found_newest"] == .bool(newest), sourceLocation: location)
        }

        @Test("an empty conversation has an empty page that ends on both sides")
        func empty() throws {
            let page = try page()
            expect(page, [], hasMore: false, cursor: nil, oldest: true, newest: true)
            #expect(page["last_seq"] == 0)
            #expect(page["epoch"].text?.isEmpty == false)
            expect(try self.page(["after": 0]), [], hasMore: false, cursor: nil, oldest: true, newest: true)
        }

        @Test("pages go back from the newest, and forward from the oldest, by cursor")
        func paging() throws {
            _ = try fill(25)
            let newest = try page(["limit": 10])
            expect(newest, 16...25, hasMore: true, cursor: 16, oldest: false, newest: true)
            #expect(newest["last_seq"] == 25)
            expect(
                try page(["limit": 10, "before": newest["next_cursor"]]), 6...15, hasMore: true, cursor: 6,
                oldest: false, newest: false)
            expect(
                try page(["limit": 10, "before": 6]), 1...5, hasMore: false, cursor: nil, oldest: true, newest: false)
            expect(
                try page(["limit": 5, "before": 6]), 1...5, hasMore: false, cursor: nil, oldest: true, newest: false)
            expect(
                try page(["limit": 10, "after": 0]), 1...10, hasMore: true, cursor: 10, oldest: true, newest: false)
            expect(
                try page(["limit": 10, "after": 20]), 21...25, hasMore: false, cursor: nil, oldest: false, newest: true)
            expect(
                try page(["limit": 10, "after": 25]), [], hasMore: false, cursor: nil, oldest: false, newest: true)
            expect(try page(), 1...25, hasMore: false, cursor: nil, oldest: true, newest: true)
        }

        @Test("a page around a message holds it, with as much on the other side as one side lacks")
        func around() throws {
            let ids = try fill(25)
            expect(
                try page(["limit": 10, "around": 13]), 8...17, hasMore: true, cursor: 8, oldest: false, newest: false)
            expect(
                try page(["limit": 10, "around": .string(ids[12])]), 8...17, hasMore: true, cursor: 8, oldest: false,
                newest: false)
            #expect(seqs(try page(["limit": 10, "around": 2])) == Array(1...10))
            #expect(seqs(try page(["limit": 10, "around": 24])) == Array(16...25))
            #expect(seqs(try page(["limit": 1, "around": 13])) == [13])
            #expect(seqs(try page(["limit": 200, "around": 13])) == Array(1...25))
        }

        @Test("a place is a message's id as well as a seq; an unknown id is not found")
        func byID() throws {
            let ids = try fill(5)
            #expect(seqs(try page(["before": .string(ids[2])])) == [1, 2])
            #expect(seqs(try page(["after": .string(ids[2])])) == [4, 5])
            let unknown: JSON = ["conversation_id": .string(conversation), "before": .string(newID())]
            #expect(try bob.refusal("history/get", unknown) == "not_found")
            let (carol, _, other) = try gateway.pair()
            let foreign: JSON = ["conversation_id": .string(other), "around": .string(ids[0])]
            #expect(try carol.refusal("history/get", foreign) == "not_found")
        }

        @Test(
            "a page that cannot be meant is refused",
            arguments: [
                ["limit": 0], ["limit": 201], ["limit": -1], ["limit": 2.5], ["before": -1], ["before": 1e300],
                ["before": 1, "after": 1], ["before": true], ["around": "x"],
            ] as [JSON])
        func refused(_ fields: JSON) throws {
            let request = fields.with(["conversation_id": .string(conversation)])
            #expect(try bob.refusal("history/get", request) == "bad_request")
        }

        @Test("a page ends at 192 KiB, wherever it begins")
        func byteLimit() throws {
            let content = base64([UInt8](repeating: 5, count: 60_000))
            _ = try fill(7, ["encrypted_content": .string(content)])
            for (fields, expected) in [
                ([:], [6, 7]), (["after": 0], [1, 2]), (["before": 4], [2, 3]), (["around": 4], [3, 4]),
            ] as [(JSON, [Int])] {
                let page = try page(fields)
                #expect(seqs(page) == expected)
                #expect(page["messages"].bytes.count <= Limits.pageBytes)
                #expect(page["has_more"] == true)
            }
        }

        @Test("the caller's own messages say how far they have come, those of others do not")
        func status() throws {
            let ids = try fill(3)
            let own = { try self.alice.accepted("history/get", ["conversation_id": .string(self.conversation)]) }
            #expect(try own()["messages"].elements.map { $0["status"] } == ["sent", "sent", "sent"])
            let place: JSON = ["conversation_id": .string(conversation), "message_id": .string(ids[1])]
            try bob.accepted("receipts/delivered", place)
            try bob.accepted("receipts/read", place.with(["message_id": .string(ids[0])]))
            #expect(try own()["messages"].elements.map { $0["status"] } == ["read", "delivered", "sent"])
            #expect(try page()["messages"].elements.allSatisfy { !$0.keys.contains("status") })
        }
    }
}
