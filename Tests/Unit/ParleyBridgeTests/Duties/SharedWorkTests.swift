import ParleyProtocol
import ParleyRules
import TestNames
import TestedStores
import Testing

@testable import ParleyBridge
@testable import ParleyStore

@Suite(
    "Work that time brings to several gateways",
    .enabled(if: TestedEngine.hasCells, "PostgreSQL is not built in or not installed"))
struct SharedWorkTests {
    private let database: any SharedDatabase
    private let test: TestWriter
    private let second: Store
    private let other: Writer

    init() throws {
        database = try TestedEngine.makeSharedDatabase()
        second = try database.open(cell: "two")
        test = try TestWriter(on: database.open(cell: "one"))
        other = try test.anotherWriter(on: second)
    }

    /// A message of alice's that has disappeared five seconds after the beginning.
    private func disappearing() throws {
        let outcome = test.carryOut([try send(try test.conversation(["alice", "bob"]), expiresIn: 5)], now: at(0))
        #expect(outcome.isCommitted)
    }

    private var contents: String? { get throws { try test.text("SELECT count(content) FROM records") } }

    @Test("while one does it the others do not, and do it when that one is gone")
    func oneAtATime() throws {
        try disappearing()
        let (due, later) = (at(6_000), at(8_000))
        #expect(throws: StoreError.self) {
            try test.store.write { transaction in
                #expect(try transaction.claim(.expiry))
                #expect(other.run(ExpiryDuty.self, now: due).outgoing.items.isEmpty)
                #expect(try contents == "1")
                // Not at once, and not never.
                #expect(!other.isDue(ExpiryDuty.self, now: due) && other.isDue(ExpiryDuty.self, now: later))
                // Other work goes on.
                #expect(try second.write { try $0.claim(.boards) } && other.isDue(ChallengeRemovalDuty.self, now: due))

                try endConnections(holding: .expiry)
                _ = other.run(ExpiryDuty.self, now: later)
                #expect(try contents == "0")
            }
        }
    }

    @Test("what one has done the others find done")
    func doneOnce() throws {
        try disappearing()
        let due = at(6_000)
        _ = test.writer.run(ExpiryDuty.self, now: due)
        #expect(try contents == "0")
        try test.execute("UPDATE records SET content = zeroblob(1), disappears_at = NULL WHERE kind = 0")
        _ = other.run(ExpiryDuty.self, now: due)
        #expect(try contents == "1")
        #expect(test.counters.conflicts.current == 0)
    }

    @Test("a claim ends with its transaction, committed or not")
    func claimsEnd() throws {
        for isCommitted in [true, false] {
            try? test.store.write { transaction in
                #expect(try transaction.claim(.boards))
                #expect(try transaction.claim(.boards))
                #expect(try !second.write { try $0.claim(.boards) })
                if !isCommitted { throw StoreError.full }
            }
            #expect(try second.write { try $0.claim(.boards) })
        }
    }

    @Test("a duty that goes with batches leaves its part to the one that does it, and the batch is carried out")
    func withBatches() throws {
        let conversation = try test.conversation(["alice", "bob"])
        try test.store.write { transaction in
            #expect(try transaction.claim(.keyChanges) && transaction.claim(.challenges))
            let outcome = other.carryOut([try send(conversation)], now: at(0))
            #expect(try outcome.isCommitted && outcome.effects.outgoing.replies.map(\.code) == [nil])
            #expect(!other.isDue(KeyChangeDuty.self, now: at(0)) && other.isDue(KeyChangeDuty.self, now: at(2_000)))
        }
    }

    @Test("no two kinds of work have one number, and every duty that several find is named")
    func numbers() {
        #expect(Set(SharedWork.allCases.map(\.rawValue)).count == SharedWork.allCases.count)
        #expect(SharedWork.keyChanges.rawValue == 1 && SharedWork.lostSessions.rawValue == 13)
    }

    /// As when the process that has claimed it is gone.
    private func endConnections(holding work: SharedWork) throws {
        try second.read { snapshot in
            let rows = try snapshot.remoteRows(
                """
                SELECT count(pg_terminate_backend(pid, 5000)) FROM pg_locks
                WHERE locktype = 'advisory' AND CAST(objid AS BIGINT) = ?
                    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
                """, [.integer(work.rawValue)])
            #expect(rows.next() && rows.integer(0) == 1)
        }
    }
}
