import ParleyProtocol
import ParleyRules
import TestNames
import Testing

@testable import ParleyBridge
@testable import ParleyStore

@Suite("The limit of what a user stores a day")
struct LimitStorageTests {
    private let test: TestWriter
    private let group: ConversationID
    /// With its row a message of so many bytes is 64 KiB.
    private static let large = String(repeating: "x", count: 65_536 - StorageCost.row - 24)

    init() throws {
        test = try TestWriter { $0.storedBytesPerDay = 1_048_576 }
        group = try test.conversation(["alice", "bob"])
        try test.execute("UPDATE members SET role = 'admin' WHERE user = 'alice'")
        // Nobody is to be notified, which would count as well.
        test.writer.push.people.replace(with: ["alice", "bob"], unknownSince: at(0))
    }

    private func codes(_ requests: [IncomingCommand], now: Timestamp = at(0)) throws -> [String?] {
        try test.carryOut(requests, now: now).effects.outgoing.replies.map(\.code)
    }

    /// Fifteen of the sixteen messages of 64 KiB that alice may have stored in a day.
    private func fill() throws {
        let requests = try (0..<15).map { _ in try send(group, text: Self.large) }
        #expect(try codes(requests) == Array(repeating: nil, count: 15))
    }

    @Test("a user may have so much stored a day, and is told when the next begins")
    func limitADay() throws {
        try fill()
        let last = MessageID.random()
        let outcome = test.carryOut([try send(group, id: last, text: Self.large), try send(group)])
        let replies = try outcome.effects.outgoing.replies
        #expect(replies.map(\.code) == [nil, "rate_limited"])
        // The tests' time is 9:00 UTC.
        #expect(replies[1].retryAfter == 15 * 3_600_000)
        #expect(try codes([try send(group, from: device("bob", "phone"))]) == [nil])
        // What is there already is answered as it was.
        #expect(try codes([try send(group, id: last, text: Self.large)]) == [nil])
        #expect(try codes([try send(group)], now: at(15 * 3_600_000 - 1)) == ["rate_limited"])
        #expect(try codes([try send(group)], now: at(15 * 3_600_000)) == [nil])
    }

    @Test("all that is kept counts, and what is taken back is never refused")
    func allThatIsKeptCounts() throws {
        let other = try test.conversation(["alice", "bob"])
        try fill()
        let message = MessageID.random()
        #expect(try codes([try send(group, id: message, text: Self.large)]) == [nil])
        let target = "\"conversation_id\":\"\(group)\""
        let requests = [
            try change(.edit, message, in: group), try change(.reaction, message, in: group),
            try request(CreateConversation.self, #"{"type":"direct","participant_ids":["carol"]}"#),
            try request(CreateConversation.self, #"{"type":"group","participant_ids":["bob","carol"]}"#),
            try request(CreateReport.self, #"{"id":"\#(ReportID.random())","reason":"r","user_id":"bob"}"#),
            try request(UpdateConversation.self, #"{\#(target),"name":"Walkers"}"#),
            try request(AddMembers.self, #"{\#(target),"user_ids":["carol"]}"#),
            try request(SetRole.self, #"{\#(target),"user_id":"bob","role":"admin"}"#),
        ]
        #expect(try codes(requests) == Array(repeating: "rate_limited", count: requests.count))
        #expect(
            try codes([
                try change(.delete, message, in: group),
                try request(UpdateConversation.self, #"{\#(target),"is_muted":true}"#),
                try request(MarkRead.self, #"{\#(target),"message_id":"\#(message)"}"#),
                try request(RemoveMember.self, #"{\#(target),"user_id":"bob"}"#),
                try request(LeaveConversation.self, #"{"conversation_id":"\#(other)"}"#),
            ]) == [nil, nil, nil, nil, nil])
    }

    @Test("what was stored before a restart counts after it")
    func restartKeepsTheCount() throws {
        try fill()
        let next = try test.anotherWriter()
        let requests = try (0..<2).map { _ in try send(group, text: Self.large) }
        // The number in the database is a step ahead at most, which is no message of 64 KiB.
        let outcome = next.carryOut(requests, now: at(0))
        #expect(try outcome.effects.outgoing.replies.map(\.code) == [nil, "rate_limited"])
    }

    @Test("what was not committed does not count")
    func uncommittedDoesNotCount() throws {
        try fill()
        try test.execute(
            "CREATE TRIGGER poison BEFORE INSERT ON records BEGIN SELECT RAISE(ABORT, 'poisoned'); END")
        for _ in 0..<5 { #expect(try codes([try send(group, text: Self.large)]) == ["internal"]) }
        try test.execute("DROP TRIGGER poison")
        #expect(try codes([try send(group, text: Self.large)]) == [nil])
    }

    @Test("a user has a row a day that few messages write, and the old ones go")
    func oneRowADay() throws {
        try test.execute("CREATE TABLE writes (n INTEGER) STRICT")
        for event in ["INSERT", "UPDATE"] {
            try test.execute(
                """
                CREATE TRIGGER count_\(event) AFTER \(event) ON stored_bytes BEGIN INSERT INTO writes VALUES (1); END
                """)
        }
        // Each message is a transaction of its own; a step is 1024 bytes here.
        for _ in 0..<100 { #expect(try codes([try send(group)]) == [nil]) }
        let counted = 100 * (StorageCost.row + 24 + 24)
        #expect(try test.text("SELECT bytes FROM stored_bytes") == "\((counted + 1023) / 1024 * 1024)")
        #expect(try test.text("SELECT count(*) FROM writes") == "\((counted + 1023) / 1024)")
        for day in 1...3 as ClosedRange<Int64> {
            #expect(try codes([try send(group)], now: at(day * 86_400_000)) == [nil])
            #expect(try test.text("SELECT count(*) FROM stored_bytes") == "1")
        }
    }

    // MARK: Reports

    private func report(_ id: ReportID = .random(), by user: UserID = "alice") throws -> IncomingCommand {
        try request(
            CreateReport.self, #"{"id":"\#(id)","reason":"r","user_id":"\#(user == "carol" ? "bob" : "carol")"}"#,
            from: device(user, "phone"))
    }

    @Test("a user may report ten times an hour, and a repeat costs none of these")
    func tenReportsAnHour() throws {
        let first = ReportID.random()
        #expect(try codes([try report(first)]) == [nil])
        #expect(try codes(try (0..<20).map { _ in try report(first) }) == Array(repeating: nil, count: 20))
        #expect(try codes(try (0..<9).map { _ in try report() }) == Array(repeating: nil, count: 9))
        let outcome = test.carryOut([try report(), try report(first), try report(by: "bob")])
        let replies = try outcome.effects.outgoing.replies
        #expect(replies.map(\.code) == ["rate_limited", nil, nil])
        #expect(replies[0].retryAfter == 360_000)
        #expect(try codes([try report(), try report()], now: at(360_000)) == [nil, "rate_limited"])
        #expect(try test.text("SELECT count(*) FROM reports") == "12")
    }
}
