import ParleyPostgreSQL
import ParleyProtocol
import PostgreSQL
import PostgreSQLServer
import TestNames
import TestSupport
import Testing

@testable import ParleyStore

@Suite(
    "A database that moves to PostgreSQL and back",
    .enabled(if: PostgreSQL.isExpected, "PostgreSQL is not installed"), .timeLimit(.minutes(20)))
struct DatabaseTransferTests {
    private let site: TransferSite

    init() throws { site = try TransferSite() }

    @Test("there and back every row is the same")
    func everyRow() throws {
        try site.fill()
        let count = try site.export()
        #expect(count > 300)
        #expect(try site.importBack() == count)
        let (before, after) = (try TransferSite.rows(site.file), try TransferSite.rows(site.back))
        #expect(before.count > 300)
        #expect(before == after)
    }

    @Test("notifications on their way go along from the file of pushes, and back into one")
    func pushes() throws {
        try site.fill()
        func open(_ name: String) throws -> PushStore { try PushStore(path: "\(site.directory.path)/\(name).db") }
        func content(_ pushes: PushStore) throws -> [String] {
            try pushes.read { snapshot throws in
                try [
                    "SELECT id, position, type, attempts, is_under_way FROM jobs ORDER BY id",
                    #"SELECT "user", until FROM holds"#,
                    #"SELECT "user", conversation, seq FROM displayed ORDER BY 1, 2"#,
                    "SELECT id, decision, attempts FROM traces ORDER BY id",
                ].flatMap { query in try snapshot.database.list(query) { "\($0.values(3))" } }
            }
        }
        let file = try open("push")
        let store = try Store(path: site.file)
        try file.link(to: store, name: "first")
        let job = pushJob(to: device("paula", "phone"), in: ConversationKey(value: 1), position: 7)
        try file.write { transaction in
            _ = try transaction.jobs.insert([job], now: at(0))
            try transaction.jobs.begin([job.id])
            try transaction.traces.insert(
                [PushTrace(id: job.id, user: "paula", type: .message, decision: "notify", decidedAt: at(0))],
                removal: at(9))
            try transaction.displays.hold([PushHold(user: "quinn", until: at(1))])
            try transaction.displays.set([(user: "paula", conversation: ConversationKey(value: 1), seq: 7)])
        }
        try store.close()
        let before = try content(file)
        #expect(before.count == 4)
        try site.export(pushes: file)
        // A gateway's start, in the midst of which the copy may be taken back, too.
        for isStarted in [false, true] {
            let server = try site.openSource()
            let shared = try #require(PushStore(in: server))
            if isStarted {
                try shared.link(to: server, name: "second")
                #expect(try shared.write { try $0.jobs.held(among: [job.id]) } == [])
                #expect(try shared.read { try $0.jobs.jobs([job.id]).count } == 1)
            }
            try server.close()
        }
        try site.importBack()
        let (back, pushes) = (try Store(path: site.back), try open("back-push"))
        try pushes.link(to: back, name: "third")
        #expect(try content(pushes) == before)
    }

    @Test("killed after every step, it goes on and ends with the same rows")
    func killedAfterEveryStep() throws {
        try site.fill()
        /// How often it was killed.
        func kills(_ body: (@escaping (DatabaseTransfer.Step) throws -> Void) throws -> Void) throws -> Int {
            var seen: Set<DatabaseTransfer.Step> = []
            while true {
                do {
                    try body { if seen.insert($0).inserted { throw TransferSite.Killed() } }
                    return seen.count
                } catch is TransferSite.Killed {}
            }
        }
        #expect(try kills { reached in _ = try site.export(reached: reached) } > 50)
        #expect(try kills { reached in _ = try site.importBack(reached: reached) } > 50)
        #expect(try TransferSite.rows(site.file) == TransferSite.rows(site.back))
    }

    @Test("what is unpublished is published by the cell, in the same order")
    func unpublished() throws {
        try site.fill()
        try site.export()
        func events(_ store: Store) throws -> [[UInt8]] {
            try store.read { snapshot throws in
                let published = try snapshot.outbox.publishedThrough()
                let events = try snapshot.outbox.unpublished(after: published, limit: 1000)
                #expect(events.map(\.position.value).allSatisfy { $0 > snapshot.database.stream.start.value })
                let ends = try snapshot.outbox.lastPosition()
                #expect(events.last?.position == ends)
                return events.map { Array("\($0.position.distance(to: ends))".utf8) }
            }
        }
        let (file, server) = (try Store(path: site.file), try site.openSource())
        #expect(try events(file).count == 20)
        #expect(try events(file) == events(server))
        try server.close()
    }

    @Test("keys that the server gives out go on behind those that were copied")
    func identities() throws {
        try site.fill()
        let text = try Store(path: site.file).text("SELECT max(key) FROM conversations")
        let last = try #require(text.flatMap { Int($0) })
        try site.export()
        let server = try site.openSource()
        let key = try server.write { try $0.insertConversation(["paula", "alice"]).key.value }
        #expect(Int(key) == last + 1)
        try server.close()
    }

    @Test("a copy that has begun goes on as the cell that has begun it, and as no other")
    func otherCell() throws {
        try site.fill()
        #expect(throws: TransferSite.Killed.self) {
            try site.export { if $0 == .begun { throw TransferSite.Killed() } }
        }
        #expect(throws: TransferError.otherTransfer) { try site.openTarget("other") }
        #expect(try site.export() > 300)
        // Repeated, it finds that all is there.
        #expect(try site.export() > 300)
    }

    @Test("a lost connection ends a run, and the next one goes on")
    func lostConnection() throws {
        try site.fill()
        let control = try site.database.connect()
        #expect(throws: StoreError.self) {
            try site.export { step in
                guard case .copied(_, let rows) = step, rows > 100 else { return }
                _ = try control.query(
                    """
                    SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                    WHERE datname = current_database() AND pid <> pg_backend_pid()
                    """)
            }
        }
        try site.export()
        try site.importBack()
        #expect(try TransferSite.rows(site.file) == TransferSite.rows(site.back))
    }

    @Test("a full disk ends a run, and the next one goes on")
    func fullDisk() throws {
        try site.fill()
        try site.export()
        #expect {
            try site.importBack(prepare: { target in
                let pages = try target.text("SELECT page_count FROM pragma_page_count").flatMap { Int($0) } ?? 0
                try target.execute("PRAGMA max_page_count = \(pages + 2)")
            })
        } throws: { error in
            if case StoreError.full = error { true } else { false }
        }
        try site.importBack()
        #expect(try TransferSite.rows(site.file) == TransferSite.rows(site.back))
    }

    @Test("no gateway begins with a part of a database")
    func halfDatabase() throws {
        try site.fill()
        #expect(throws: TransferSite.Killed.self) {
            try site.export { if case .copied = $0 { throw TransferSite.Killed() } }
        }
        #expect {
            try PostgreSQLStore(site.address, cell: #require(CellName("main")), durability: .waived)
        } throws: { "\($0)".contains("parleyd export") }
        #expect { try site.importBack() } throws: { "\($0)".contains("parleyd export") }
    }

    @Test("a part of another state of the database is not gone on with")
    func otherState() throws {
        try site.fill()
        #expect(throws: TransferSite.Killed.self) {
            try site.export { if case .copied = $0 { throw TransferSite.Killed() } }
        }
        let store = try Store(path: site.file)
        try store.write { try $0.continuity.setInstance("another") }
        try store.close()
        #expect(throws: TransferError.otherTransfer) { try site.export() }
    }

    @Test("a database that is in use or not empty, a missing cell and a foreign schema are refused by a sentence")
    func refusals() throws {
        try site.fill()
        #expect { try site.importBack() } throws: { "\($0)".contains("has no cell main; it has none") }
        let control = try site.database.connect()
        try control.execute("CREATE SCHEMA parley; CREATE TABLE parley.theirs (id BIGINT)")
        #expect { try site.export() } throws: { "\($0)".contains("other tables than Parley's") }
        try control.execute("DROP SCHEMA parley CASCADE")
        let server = try site.openTarget()
        try server.write { try $0.insertPeople(["zoe"]) }
        try server.close()
        #expect(throws: TransferError.notEmpty(table: "users")) { try site.export() }
        // As a cell that there was not: nothing is left of it.
        #expect(throws: TransferError.notEmpty(table: "users")) { try site.openTarget("other") }
        #expect(try control.query("SELECT 1 FROM parley.cells").count == 1)
        #expect(try control.query("SELECT 1 FROM parley.publishing WHERE id > 1").count == 0)
        #expect(throws: TransferError.noSuchCell("other", among: ["main"])) { try site.importBack(as: "other") }
        try control.execute("UPDATE parley.cell_leases SET until = \(Int.max)")
        #expect(throws: TransferError.cellsRun(["main"])) { try site.export() }
        #expect(throws: TransferError.cellsRun(["main"])) { try site.importBack() }
    }

    @Test("streams of several cells become one, once all is published")
    func severalCells() throws {
        let id = ConversationID.random()
        for (number, cell) in ["one", "two", "three"].enumerated() {
            let server = try site.open(cell)
            try server.write { transaction in
                if number == 0 {
                    try transaction.insertPeople(["paula", "quinn"])
                    try transaction.insertConversation(["paula", "quinn"], id: id)
                    try transaction.continuity.setInstance("name")
                }
                let record = try transaction.append(to: id, from: device("paula", "phone"))
                #expect(record.seq == number + 1)
                guard case .remote(let connection) = transaction.database.engine else { return }
                connection.setStreamEnd(transaction.database.stream.start + 1, audience: nil)
            }
            try server.close()
        }
        #expect(throws: TransferError.unpublished(cell: "one")) { try site.importBack(as: "one") }
        for cell in ["one", "two", "three"] {
            let server = try site.open(cell)
            try server.write { try $0.outbox.advance(through: $0.database.stream.start + 1) }
            try server.close()
        }
        try site.importBack(as: "one")
        let file = try Store(path: site.back)
        #expect(try file.text("SELECT group_concat(seq || ' at ' || position) FROM records") == "1 at 1,2 at 2,3 at 3")
        #expect(try file.read { try $0.outbox.publishedThrough() } == 3)
        #expect(try file.read { try $0.continuity.instance() } == "name")
    }
}
