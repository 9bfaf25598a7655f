import ParleyProtocol
import ParleyRules
import TestNames
import TestedStores
import Testing

@testable import ParleyBridge
@testable import ParleyStore

@Suite("What users have used of their limits is stored", .onEveryStore)
struct StoredLimitTests {
    private func world() throws -> TestWriter {
        try TestWriter {
            $0.reportsPerHour = 4
            $0.accountBackupsPerHour = 4
        }
    }

    @Test("what was used before a restart counts after it")
    func restartKeepsTheCount() throws {
        let test = try world()
        #expect(try test.writer.codes(of: 3, at: at(0)) == [nil, nil, nil])
        let next = try test.anotherWriter()
        #expect(try next.codes(of: 2, at: at(1)) == [nil, "rate_limited"])
        #expect(try test.anotherWriter().codes(of: 2, at: at(900_000)) == [nil, "rate_limited"])
    }

    @Test("what was not committed does not count")
    func uncommittedDoesNotCount() throws {
        let test = try world()
        #expect(throws: StoreError.self) {
            try test.writer.write(now: at(0)) { batch throws(StoreError) in
                guard try batch.waitToUse(.reports, 4, by: "alice") == nil else { return }
                batch.countUses(.reports, 4, by: "alice")
                throw .full
            }
        }
        #expect(try test.writer.codes(of: 5, at: at(0)) == [nil, nil, nil, nil, "rate_limited"])
    }

    @Test("what queries have used is stored soon, and counts for commands and after a restart")
    func queriesCount() throws {
        let test = try world()
        let reader = try test.reader(limits: test.writer.limits)
        func code(_ reader: Reader) throws -> String? {
            try reader.answer(try request(GetAccountBackup.self, "{}"), now: at(0)).published.first?.code
        }
        for _ in 0..<3 { #expect(try code(reader) == "not_found") }
        let backup = try request(BackUpAccount.self, #"{"blob":"AAAA"}"#)
        #expect(try test.carryOut([backup], now: at(0)).effects.outgoing.replies.map(\.code) == [nil])
        #expect(try code(reader) == "rate_limited")
        #expect(!test.writer.isDue(LimitUsesDuty.self, now: at(0)))

        // A quarter of an hour later there is one more.
        _ = reader.answer(try request(GetAccountBackup.self, "{}"), now: at(900_000))
        #expect(test.writer.isDue(LimitUsesDuty.self, now: at(900_000)))
        _ = test.writer.run(LimitUsesDuty.self, now: at(900_000))
        #expect(!test.writer.isDue(LimitUsesDuty.self, now: at(901_000)))
        let next = try test.anotherWriter()
        let other = try request(BackUpAccount.self, #"{"blob":"AAAB"}"#)
        #expect(try next.carryOut([other], now: at(900_000)).effects.outgoing.replies.map(\.code) == ["rate_limited"])
    }

    @Test("counts of which nothing counts any more are removed")
    func removed() throws {
        let test = try world()
        #expect(try test.writer.codes(of: 1, at: at(0)) == [nil])
        _ = test.writer.run(LimitRemovalDuty.self, now: at(1))
        // A report is a look at a stranger, too.
        #expect(try test.text("SELECT count(*) FROM limit_uses") == "2")
        _ = test.writer.run(LimitRemovalDuty.self, now: at(3_600_001))
        #expect(try test.text("SELECT count(*) FROM limit_uses") == "0")
    }
}

@Suite(
    "Limits over several gateways", .enabled(if: TestedEngine.hasCells, "PostgreSQL is not built in or not installed"))
struct SharedLimitTests {
    private let database: any SharedDatabase
    private let test: TestWriter
    private let second: Store
    private let other: Writer

    init() throws {
        database = try TestedEngine.makeSharedDatabase()
        second = try database.open(cell: "two")
        test = try TestWriter(on: database.open(cell: "one")) {
            $0.reportsPerHour = 4
            $0.accountBackupsPerHour = 4
        }
        other = try test.anotherWriter(on: second)
    }

    @Test("a user has at all gateways together what they may have at one")
    func together() throws {
        // The gateways' own times do not matter: an hour is between them.
        for _ in 0..<2 {
            #expect(try test.writer.codes(of: 1, at: at(0)) == [nil])
            #expect(try other.codes(of: 1, at: at(3_600_000)) == [nil])
        }
        #expect(try test.writer.codes(of: 1, at: at(0)) == ["rate_limited"])
        #expect(try other.codes(of: 1, at: at(3_600_000)) == ["rate_limited"])
    }

    @Test("what queries have used at one gateway counts at the other when it is stored")
    func queriesCount() throws {
        let readers = [
            try test.reader(limits: test.writer.limits), try test.reader(of: second, limits: other.limits),
        ]
        func code(_ reader: Reader) throws -> String? {
            try reader.answer(try request(GetAccountBackup.self, "{}"), now: at(0)).published.first?.code
        }
        for _ in 0..<4 { #expect(try code(readers[0]) == "not_found") }
        #expect(try code(readers[0]) == "rate_limited")
        _ = test.writer.run(LimitUsesDuty.self, now: at(0))
        #expect(try code(readers[1]) == "rate_limited")
    }

    @Test("of two gateways that count the same at one moment, one begins again")
    func atOneMoment() throws {
        let key = LimitKey(.reports, of: "alice")
        func count(_ transaction: WriteTransaction, meanwhile: () throws -> Void = {}) throws {
            var uses = LimitUses()
            let rate = Rate(burst: 4, perHour: 4)
            uses.load(key, stored: try transaction.facts.limitUses.fullAt(key), ofQueries: 1, rate, now: at(0))
            try meanwhile()
            for (key, count) in uses.changed { try transaction.limitUses.replace(key, count) }
        }
        // At first there is no row, then there is one.
        for isolation in [Isolation.byConversation, .serializable, .byConversation] {
            let error = #expect(throws: StoreError.self) {
                try test.store.write(isolation: isolation) { transaction in
                    try count(transaction) { try second.write(isolation: isolation) { try count($0) } }
                }
            }
            guard case .conflict? = error else {
                Issue.record("\(isolation): \(error.map { "\($0)" } ?? "nothing")")
                continue
            }
            try test.store.write(isolation: isolation) { try count($0) }
        }
    }
}

private func newReport() throws -> IncomingCommand {
    try request(CreateReport.self, #"{"id":"\#(ReportID.random())","reason":"r","user_id":"carol"}"#)
}

extension Writer {
    /// The codes of so many reports by alice.
    fileprivate func codes(of count: Int, at time: Timestamp) throws -> [String?] {
        let requests = try (0..<count).map { _ in try newReport() }
        return try carryOut(requests, now: time).effects.outgoing.replies.map(\.code)
    }
}
