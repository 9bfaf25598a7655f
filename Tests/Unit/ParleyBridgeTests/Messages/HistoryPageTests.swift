import Foundation
import ParleyProtocol
import ParleyRules
import TestNames
import TestSupport
import TestedStores
import Testing

@testable import ParleyBridge
@testable import ParleyStore

@Suite("Pages of history", .onEveryStore)
struct HistoryPageTests {
    /// A log with messages of these sizes, in bytes of content.
    private func log(_ sizes: [Int]) throws -> (test: TestWriter, id: ConversationID, ids: [MessageID]) {
        let test = try TestWriter()
        let id = try test.conversation(["alice", "bob"])
        var ids: [MessageID] = []
        var requests: [IncomingCommand] = []
        for (index, size) in sizes.enumerated() {
            ids.append(.random())
            requests.append(
                try send(
                    id, id: ids[index], text: String(repeating: "x", count: size),
                    from: device(index % 3 == 0 ? "bob" : "alice", "phone")))
        }
        test.carryOut(requests)
        return (test, id, ids)
    }

    private struct Page {
        let messages: [[String: Any]]
        let sizes: [Int]
        let summary: HistorySummary

        var seqs: [Int] { messages.compactMap { $0["seq"] as? Int } }
        var bytes: Int { sizes.reduce(0, +) }
    }

    private func read(_ request: GetHistory, _ test: TestWriter, for user: UserID = "alice") throws -> Page {
        let page = try test.store.read { try HistoryPage.read(request, for: user, $0) }
        guard case .json(let records) = page.records else { throw Rejection.internalFault }
        let json = [UInt8(ascii: "[")] + records + [UInt8(ascii: "]")]
        let messages = try #require(try JSONSerialization.jsonObject(with: Data(json)) as? [[String: Any]])
        return Page(messages: messages, sizes: [records.count], summary: page.summary)
    }

    /// What the page must be, from the whole log and nothing clever.
    private struct Oracle {
        /// The bytes of each record's JSON.
        let sizes: [Int]
        /// The last place that the reader does not see.
        var floor = 0

        var last: Int { sizes.count }
        /// The first that they see, if there is one.
        var first: Int { floor + 1 }

        func older(before seq: Int, limit: Int) -> [Int] {
            var (seqs, bytes) = ([Int](), 0)
            for candidate in stride(from: min(seq - 1, last), to: floor, by: -1) {
                bytes += sizes[candidate - 1] + 1
                guard seqs.count < limit, seqs.isEmpty || bytes - 1 <= Limits.pageBytes else { break }
                seqs.insert(candidate, at: 0)
            }
            return seqs
        }

        func newer(after seq: Int, limit: Int) -> [Int] {
            var (seqs, bytes) = ([Int](), 0)
            for candidate in stride(from: max(seq, floor) + 1, through: last, by: 1) {
                bytes += sizes[candidate - 1] + 1
                guard seqs.count < limit, seqs.isEmpty || bytes - 1 <= Limits.pageBytes else { break }
                seqs.append(candidate)
            }
            return seqs
        }
    }

    private func oracle(_ test: TestWriter, _ id: ConversationID) throws -> Oracle {
        try test.store.read { snapshot throws in
            var sizes: [Int] = []
            let conversation = try #require(try snapshot.conversations.conversation(id))
            try snapshot.records.read(conversation, after: 0, seenBy: "alice", limit: .max) { record in
                var writer = JSONWriter()
                record.write(to: &writer, status: record.sender.user == "alice" ? .sent : nil)
                sizes.append(writer.count)
                return true
            }
            return Oracle(sizes: sizes)
        }
    }

    @Test("pages are what a naive reading of the whole log gives", .seeded, arguments: 0..<6)
    func pages(stream: Int) throws {
        var generator = Seeded(stream: UInt64(stream))
        let sizes = (0..<generator.number(0...60)).map { _ in
            generator.chance(0.2) ? generator.number(30_000...Limits.contentBytes) : generator.number(16...500)
        }
        let (test, id, ids) = try log(sizes)
        var oracle = try oracle(test, id)
        // Half of the logs are those of somebody who has joined later.
        if generator.chance(0.5) {
            oracle.floor = generator.number(0...sizes.count)
            try test.execute("UPDATE members SET visible_from = \(oracle.floor) WHERE user = 'alice'")
        }
        for _ in 0..<80 {
            let limit = generator.chance(0.3) ? generator.number(1...4) : generator.number(1...Limits.pageItems)
            let seq = generator.number(0...sizes.count + 2)
            let point: RecordPoint =
                generator.chance(0.5) && ids.indices.contains(seq - 1) && seq > oracle.floor
                ? .id(ids[seq - 1]) : .seq(seq)
            switch generator.number(0...3) {
            case 0:
                let page = try read(GetHistory(conversation: id, limit: limit), test)
                expect(page, oracle.older(before: .max, limit: limit), oracle, goesBack: true)
            case 1:
                let page = try read(GetHistory(conversation: id, limit: limit, position: .before(point)), test)
                expect(page, oracle.older(before: seq, limit: limit), oracle, goesBack: true)
            case 2:
                let page = try read(GetHistory(conversation: id, limit: limit, position: .after(point)), test)
                expect(page, oracle.newer(after: seq, limit: limit), oracle, goesBack: false)
            default:
                let page = try read(GetHistory(conversation: id, limit: limit, position: .around(point)), test)
                expectAround(page, seq, limit, oracle)
            }
        }
    }

    private func expect(_ page: Page, _ seqs: [Int], _ oracle: Oracle, goesBack: Bool) {
        #expect(page.seqs == seqs)
        #expect(page.summary.lastSeq == oracle.last && page.summary.epoch == "epoch")
        let hasMore =
            goesBack ? (seqs.first ?? oracle.first) > oracle.first : (seqs.last ?? oracle.last) < oracle.last
        #expect(page.summary.hasMore == hasMore)
        #expect(page.summary.nextCursor == (hasMore ? (goesBack ? seqs.first : seqs.last) : nil))
        if let first = seqs.first, let last = seqs.last {
            #expect(
                page.summary.foundOldest == (first == oracle.first) && page.summary.foundNewest == (last == oracle.last)
            )
        }
    }

    /// The page holds the point, is whole, is within its limits, and could not be larger.
    private func expectAround(_ page: Page, _ seq: Int, _ limit: Int, _ oracle: Oracle) {
        let seqs = page.seqs
        guard let first = seqs.first, let last = seqs.last else {
            #expect(oracle.last == oracle.floor)
            return
        }
        #expect(seqs == Array(first...last) && seqs.count <= limit)
        #expect(seqs.contains(min(max(seq, oracle.first), oracle.last)))
        #expect(page.bytes <= Limits.pageBytes || seqs.count == 1)
        #expect(
            page.summary.foundOldest == (first == oracle.first) && page.summary.foundNewest == (last == oracle.last))
        #expect(
            page.summary.hasMore == (first > oracle.first)
                && page.summary.nextCursor == (first > oracle.first ? first : nil))
        let isWhole = first == oracle.first && last == oracle.last
        let neighbours = [first - 2, last].filter { (oracle.floor..<oracle.last).contains($0) }.map { oracle.sizes[$0] }
        let roomLeft = Limits.pageBytes - page.bytes - 2
        #expect(isWhole || seqs.count == limit || neighbours.contains { $0 > roomLeft })
    }

    @Test("half of a page around a point lies before it")
    func halfLiesBefore() throws {
        let (test, id, _) = try log(Array(repeating: 16, count: 20))
        let cases = [
            (10, 5, 8...12), (10, 4, 8...11), (10, 1, 10...10), (1, 5, 1...5), (20, 5, 16...20), (18, 6, 15...20),
        ]
        for (seq, limit, expected) in cases {
            let page = try read(GetHistory(conversation: id, limit: limit, position: .around(.seq(seq))), test)
            #expect(page.seqs == Array(expected))
        }
    }

    @Test("a status is one's own, and says how far the others have come")
    func statusIsOnesOwn() throws {
        let (test, id, ids) = try log(Array(repeating: 16, count: 6))
        for (kind, index) in [(MarkDelivered.self, 4), (MarkRead.self, 1)] as [(any Command.Type, Int)] {
            let json = "{\"conversation_id\":\"\(id)\",\"message_id\":\"\(ids[index])\"}"
            test.carryOut([try request(kind, json, from: device("bob", "phone"))])
        }
        let own = try read(GetHistory(conversation: id), test)
        #expect(own.messages.map { $0["status"] as? String } == [nil, "read", "delivered", nil, "delivered", "sent"])
        let other = try read(GetHistory(conversation: id), test, for: "bob")
        #expect(other.messages.map { $0["status"] as? String } == ["sent", nil, nil, "sent", nil, nil])
    }

    @Test("a log that one is not in, and a message that is not in it, are not found")
    func foreignIsNotFound() throws {
        let (test, id, _) = try log([16])
        func code(_ request: GetHistory, for user: UserID) throws -> ErrorCode? {
            try test.store.read { snapshot throws in
                do {
                    _ = try HistoryPage.read(request, for: user, snapshot)
                    return nil
                } catch let rejection as Rejection {
                    return rejection.code
                }
            }
        }
        #expect(try code(GetHistory(conversation: id), for: "carol") == .notFound)
        #expect(try code(GetHistory(conversation: .random()), for: "alice") == .notFound)
        #expect(try code(GetHistory(conversation: id, position: .before(.id(.random()))), for: "alice") == .notFound)
        #expect(try code(GetHistory(conversation: id), for: "alice") == nil)
    }

    @Test("a message from before one's joining is not found, nor is one that follows refused")
    func beforeJoiningIsNotFound() throws {
        let (test, id, ids) = try log([16, 16])
        try test.execute("UPDATE members SET visible_from = 1 WHERE user = 'bob'")
        for position in [HistoryPosition.before, HistoryPosition.after, HistoryPosition.around] {
            let requests = ids.map { GetHistory(conversation: id, position: position(.id($0))) }
            #expect(throws: (any Error).self) { try read(requests[0], test, for: "bob") }
            _ = try read(requests[1], test, for: "bob")
            _ = try read(requests[0], test)
        }
    }
}
