import ParleyProtocol
import TestNames
import TestSupport
import Testing

@testable import ParleyBridge
@testable import ParleyStore

/// Lists and counts beside what a plain reading of everything gives.
@Suite("The list of conversations")
struct ConversationListTests {
    @Test("the list is in the order of activity, whatever the hints say", .seeded, arguments: 0..<4)
    func order(stream: Int) throws {
        var generator = Seeded(stream: UInt64(stream))
        let test = try TestWriter()
        let ids = try (0..<generator.number(1...40)).map { _ in
            try test.conversation(["alice", "bob"], now: at(Int64(generator.number(0...200_000))))
        }
        var now: Int64 = 200_000
        for _ in 0..<60 {
            now += Int64(generator.number(0...(generator.chance(0.2) ? 90_000 : 4000)))
            var requests: [IncomingCommand] = []
            for _ in 0..<generator.number(1...4) {
                let id = ids[generator.number(0...ids.count - 1)]
                if generator.chance(0.7) {
                    requests.append(try send(id, from: device(generator.chance(0.5) ? "alice" : "bob", "phone")))
                } else {
                    requests.append(
                        try request(
                            UpdateConversation.self,
                            "{\"conversation_id\":\"\(id)\",\"is_archived\":\(generator.chance(0.6))}"))
                }
            }
            test.carryOut(requests, now: at(now))
            let lagging = "updated_at - active_at NOT BETWEEN 0 AND 60000"
            #expect(
                try test.text(
                    "SELECT count(*) FROM members JOIN conversations ON key = conversation WHERE \(lagging)") == "0")
            for archived in [false, true] {
                let expected = try plainOrder(test, archived)
                try test.store.read { snapshot throws in
                    #expect(try snapshot.listings.count(of: "alice", archived: archived) == expected.count)
                    let (limit, offset) = (generator.number(1...12), generator.number(0...ids.count + 2))
                    let page = try snapshot.listings.keys(
                        of: "alice", archived: archived, limit: limit, offset: offset)
                    #expect(page.map(\.value) == Array(expected.dropFirst(offset).prefix(limit)))
                }
            }
        }
    }

    private func plainOrder(_ test: TestWriter, _ archived: Bool) throws -> [Int64] {
        try test.values(
            """
            SELECT key AS value FROM members JOIN conversations ON key = conversation
            WHERE user = 'alice' AND is_archived = \(archived) ORDER BY updated_at DESC, key DESC
            """
        ).map { try #require(Int64($0)) }
    }

    /// A log as a careful reader keeps it.
    private struct Model {
        struct Entry {
            let seq: Int
            let sender: UserID
            /// Whether it counts for others: a message of a person that is still there.
            var counts: Bool
        }

        var log: [Entry] = []
        var readUpTo: [UserID: Int] = [:]

        func unread(_ user: UserID) -> Int {
            guard let read = readUpTo[user] else { return 0 }
            return log.count { $0.seq > read && $0.sender != user && $0.counts }
        }
    }

    @Test("what is unread is never less than nothing and never more than there is", .seeded, arguments: 0..<4)
    func unread(stream: Int) throws {
        var generator = Seeded(stream: UInt64(100 + stream))
        let test = try TestWriter()
        let users: [UserID] = ["alice", "bob", "carol"]
        for one in users {
            for other in users where other != one {
                try test.execute("INSERT INTO follows VALUES ('\(one)', '\(other)', 0)")
            }
        }
        let id = try test.conversation(["alice", "bob"])
        try test.execute("UPDATE members SET role = 'admin'")
        var model = Model(readUpTo: ["alice": 0, "bob": 0])
        var messages: [MessageID] = []
        for step in 0..<250 {
            let sender = users[generator.number(0...2)]
            let address = device(sender, generator.chance(0.5) ? "phone" : "laptop")
            let target = messages.isEmpty ? MessageID.random() : messages[generator.number(0...messages.count - 1)]
            let incoming: IncomingCommand
            switch generator.number(0...9) {
            case 0...3:
                // Now and then a repeat, which does nothing twice.
                incoming = try send(id, id: generator.chance(0.1) ? target : .random(), from: address)
            case 4, 5, 6:
                let kind: any Command.Type = generator.chance(0.7) ? MarkRead.self : MarkDelivered.self
                let json = "{\"conversation_id\":\"\(id)\",\"message_id\":\"\(target)\"}"
                incoming = try request(kind, json, from: address)
            case 7:
                let json = "{\"conversation_id\":\"\(id)\",\"user_ids\":[\"carol\"]}"
                incoming = try request(AddMembers.self, json, from: address)
            case 8:
                let json = "{\"conversation_id\":\"\(id)\",\"user_id\":\"carol\"}"
                incoming = try request(RemoveMember.self, json, from: address)
            default:
                let json = "{\"conversation_id\":\"\(id)\",\"name\":\"\(step)\"}"
                incoming = try request(UpdateConversation.self, json, from: address)
            }
            test.carryOut([incoming], now: at(Int64(step)))
            // As on a disk: what a message held is gone, by whatever removed it.
            if generator.chance(0.1), let index = model.log.indices.randomElement(using: &generator) {
                model.log[index].counts = false
                try test.execute("UPDATE records SET content = NULL WHERE seq = \(model.log[index].seq)")
            }
            try follow(test, &model, &messages)
            try test.store.read { snapshot throws in
                let key = try #require(try snapshot.conversations.conversation(id)?.key)
                for user in users {
                    let count = try snapshot.unread.count(of: user, in: key)
                    #expect(count == model.unread(user) && count >= 0 && count <= model.log.count)
                }
            }
        }
    }

    /// Brings the model to what is stored, by what a reader of the log alone would see.
    private func follow(_ test: TestWriter, _ model: inout Model, _ messages: inout [MessageID]) throws {
        let log = try test.values(
            """
            SELECT seq || ' ' || sender || ' ' || (type <> 7) || ' ' || lower(hex(id)) AS value FROM records
            WHERE seq > \(model.log.last?.seq ?? 0) ORDER BY seq
            """)
        for record in log {
            let parts = record.split(separator: " ").map(String.init)
            let sender = try #require(UserID(parts[1]))
            model.log.append(
                Model.Entry(seq: try #require(Int(parts[0])), sender: sender, counts: parts[2] == "1"))
            messages.append(try #require(MessageID(hexadecimal: parts[3])))
        }
        var readUpTo: [UserID: Int] = [:]
        for member in try test.values("SELECT user || ' ' || max(read_seq, joined_seq) AS value FROM members") {
            let parts = member.split(separator: " ").map(String.init)
            readUpTo[try #require(UserID(parts[0]))] = Int(parts[1])
        }
        for (user, seq) in readUpTo {
            // A watermark of somebody who stays goes forward only; who comes back starts where the log is.
            #expect(seq >= model.readUpTo[user] ?? 0)
        }
        model.readUpTo = readUpTo
    }
}

extension TestWriter {
    /// The column `value` of a query's rows as text.
    fileprivate func values(_ query: String) throws -> [String] {
        try text("SELECT group_concat(value, char(10)) FROM (\(query))")?.split(separator: "\n").map(String.init) ?? []
    }
}

extension MessageID {
    fileprivate init?(hexadecimal text: String) {
        let digits = Array(text)
        guard digits.count == 32 else { return nil }
        let parts = [0..<8, 8..<12, 12..<16, 16..<20, 20..<32].map { String(digits[$0]) }
        self.init(parts.joined(separator: "-"))
    }
}
