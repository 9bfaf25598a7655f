import PostgreSQL
import PostgreSQLServer
import TestSupport
import Testing

/// The steady time that cells have together.
@Suite("The time of cells", .ownThreads, .postgreSQL)
struct CellTimeTests {
    @Test("cells catch up with the one that is furthest while they run, and what is to disappear does so by that")
    func catchingUp() throws {
        let site = try CellSite()
        let (alice, _, conversation) = try site.pair()
        try alice.accepted("messages/send", message(conversation, ["expires_in": 3600]))
        func left() throws -> Int {
            try site.number("SELECT count(*) FROM parley.records WHERE disappears_at > 0 AND content IS NOT NULL")
        }
        #expect(try left() == 1)
        // As if the machines of both had stood still for more than an hour, and a third had not.
        let connection = try site.database.connect()
        defer { connection.close() }
        try connection.execute("UPDATE parley.clock SET steps = steps - 3700000 WHERE id = 0")
        for cell in site.cells {
            try eventually("a word of it") { cell.log.contains("this machine has stood still") ? () : nil }
        }
        try eventually("the end of the message") { try left() == 0 ? () : nil }
    }
}
