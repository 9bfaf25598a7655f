import PostgreSQL
import PostgreSQLServer
import TestSupport
import Testing

/// Cells whose machine has another time of day than the database's server.
@Suite("Clocks of cells", .ownThreads, .postgreSQL)
struct CellClockTests {
    /// Moves the clock of a database's server, as statements see it.
    private static func move(_ database: TestDatabase, by seconds: Int) throws {
        let connection = try database.connect()
        defer { connection.close() }
        try connection.execute(
            """
            ALTER FUNCTION pg_catalog.clock_timestamp() RENAME TO true_clock_timestamp;
            CREATE FUNCTION pg_catalog.clock_timestamp() RETURNS timestamptz VOLATILE
                RETURN pg_catalog.true_clock_timestamp() + make_interval(secs => \(seconds))
            """)
    }

    @Test(
        "cells whose clocks are an hour off the server's say so, and everything is heard at both, in order",
        arguments: [3600, -3600])
    func hourOff(_ seconds: Int) throws {
        let site = try CellSite { try Self.move($0, by: seconds) }
        let direction = seconds > 0 ? "behind" : "ahead of"
        for cell in site.cells {
            // A second more or less: one clock is read after the other.
            let sentence = try Regex("this machine's is (3599|3600) s \(direction) the server's: set both by NTP")
            try eventually("the sentence") { cell.log.contains(sentence) ? () : nil }
        }
        let clients = try site.clients(at: 0, 1, 1)
        let (alice, bob, carol) = (clients[0], clients[1], clients[2])
        let group = try alice.group(with: bob, carol)
        for client in clients { try client.listen(to: group, "messages") }
        for _ in 0..<10 {
            let ids = [try alice.say(in: group), try bob.say(in: group)]
            for client in clients { for id in ids { try client.hear(id, in: group) } }
        }
        try alice.accepted(
            "conversations/remove-member", ["conversation_id": .string(group), "user_id": .string(carol.user)])
        try alice.hear(try bob.say(in: group), in: group)
        #expect(alice.seqs(in: group) == Array(1...22))
        try carol.readAllSent()
        #expect(carol.seqs(in: group) == Array(1...20))
        // Started again a cell finds all of it, and nothing that was put back.
        #expect(site.cells[0].endParleyd() == 0)
        try site.cells[0].startParleyd()
        #expect(!site.cells[0].log.contains("every conversation has a new epoch"))
    }
}
