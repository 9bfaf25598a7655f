import ParleyPostgreSQL
import ParleyProtocol
import PostgreSQLServer
import TestNames
import Testing

@testable import ParleyStore

/// Who is connected to which cell, and who takes that out when the cell is silent.
@Suite("Sessions of cells", .enabled(if: ServerPrograms.areExpected, "PostgreSQL is not installed"))
struct CellSessionTests {
    private let database: TestDatabase
    private let one: Store
    private let two: Store

    /// Two cells that have not extended their leases for long.
    init() throws {
        database = try PostgreSQLServer.shared().database()
        let address = try StoreAddress(uri: database.uri)
        func open(_ name: String) throws -> Store {
            Store(try PostgreSQLStore(address, cell: try #require(CellName(name)), durability: .waived))
        }
        one = try open("one")
        two = try open("two")
        try one.write { try $0.insertPeople(["paula", "quinn"]) }
        for (store, user) in [(one, "paula"), (two, "quinn")] as [(Store, UserID)] {
            try store.write { try store.cells?.storeSessions(arrived: [user], left: [], in: $0) }
        }
    }

    @Test("a cell takes out the users of others that are silent, and never its own")
    func lost() throws {
        let cells = try #require(one.cells)
        #expect(try one.write { try cells.removeLostSessions(limit: 10, in: $0) } == ["quinn"])
        #expect(try one.write { try cells.removeLostSessions(limit: 10, in: $0) } == [])
        #expect(try one.read { try cells.sessions(in: $0) } == ["paula"])
    }

    @Test("nobody takes out users of a cell that has extended its lease meanwhile")
    func extended() throws {
        let (cells, others) = (try #require(one.cells), try #require(two.cells))
        #expect {
            try one.write { transaction in
                // Sees the database as it is now.
                _ = try cells.sessions(in: transaction.facts)
                try others.extendLease()
                _ = try cells.removeLostSessions(limit: 10, in: transaction)
            }
        } throws: { error in
            if case StoreError.conflict = error { true } else { false }
        }
        #expect(try two.read { try others.sessions(in: $0) } == ["quinn"])
        #expect(try one.write { try cells.removeLostSessions(limit: 10, in: $0) } == [])
    }
}
