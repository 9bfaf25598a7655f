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

        @Test("pages go back from the newest, forward from the oldest, and lie around a message")
        func paging() throws {
            let ids = try fill(25)
            let newest = try page(["limit": 10])
            #expect(seqs(newest) == Array(16...25) && newest["last_seq"] == 25)
            #expect(newest["has_more"] == true && newest["next_cursor"] == 16)
            #expect(newest["found_oldest"] == false && newest["found_newest"] == true)
            for (fields, expected) in [
                (["before": 16], 6...15), (["after": 20], 21...25), (["around": 13], 8...17),
                (["before": .string(ids[5])], 1...5), (["around": .string(ids[12])], 8...17),
            ] as [(JSON, ClosedRange<Int>)] {
                #expect(seqs(try page(fields.with(["limit": 10]))) == Array(expected))
            }
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
    }
}
