import Glibc
import ParleyPostgreSQL
import ParleyProtocol
import PostgreSQL
import PostgreSQLServer
import TestNames
import TestSupport
import Testing

@testable import ParleyStore

/// Reads on a real standby, which follows by streaming.
@Suite(
    "Reads on a standby", .ownThreads, .enabled(if: PostgreSQL.isExpected, "PostgreSQL is not installed"),
    .timeLimit(.minutes(10)))
struct StandbyReadTests {
    private let primary: PostgreSQLServer
    private let standby: PostgreSQLServer
    private let database: TestDatabase
    /// Two cells.
    private let stores: [Store]

    init() throws {
        primary = try PostgreSQLServer()
        database = try primary.database()
        // It is the standby that is given the database: there is nothing to copy later.
        standby = try PostgreSQLServer(standbyOf: primary)
        let address = try StoreAddress(uri: database.uri)
        let follower = try StoreAddress(uri: standby.uri(database: database.name), isStandby: true)
        stores = try ["one", "two"].map { name in
            Store(
                try PostgreSQLStore(
                    address, cell: try #require(CellName(name)), durability: .waived, standby: follower))
        }
    }

    /// Inserts a user at a cell.
    private func write(_ number: Int, at cell: Int) throws -> UserID {
        let user = try #require(UserID("user\(number)"))
        try stores[cell].write { try $0.insertPeople([user]) }
        return user
    }

    /// Whether a cell finds a user, and where it looked.
    private func finds(_ user: UserID, at cell: Int) throws -> (isThere: Bool, server: ReadServer?) {
        var server: ReadServer?
        let isThere = try stores[cell].readAnywhere({ server = $0 }) { try $0.users.hasMember(user) }
        return (isThere, server)
    }

    /// Reads at both cells until a standby has answered.
    private func awaitStandby(_ user: UserID) throws {
        try eventually("a read on the standby") {
            let answers = try stores.indices.map { try finds(user, at: $0) }
            #expect(answers.allSatisfy { $0.isThere })
            return answers.allSatisfy { $0.server == .standby } ? () : nil
        }
    }

    @Test("whatever any cell has committed is there, whichever server answers, and the standby answers")
    func nothingOlder() throws {
        var servers: [ReadServer: Int] = [:]
        for number in 0..<300 {
            let user = try write(number, at: number % 2)
            for cell in stores.indices {
                let (isThere, server) = try finds(user, at: cell)
                #expect(isThere)
                if let server { servers[server, default: 0] += 1 }
            }
        }
        #expect(servers[.standby, default: 0] > 0, "\(servers)")
        // On a busy machine it may not answer in time, and counts as away for a while.
        #expect(servers[.primary] == nil)
        try awaitStandby(try write(300, at: 0))
    }

    @Test("while the standby stands still the primary answers, and after that the standby again")
    func paused() throws {
        try awaitStandby(try write(0, at: 0))
        let connection = try standby.connect()
        _ = try connection.query("SELECT 1 FROM (SELECT pg_wal_replay_pause()) AS paused", [])
        try eventually("a pause") {
            try connection.query("SELECT pg_get_wal_replay_pause_state()", []).text(0, 0) == "paused" ? () : nil
        }
        for number in 1..<20 {
            let user = try write(number, at: number % 2)
            for cell in stores.indices {
                let (isThere, server) = try finds(user, at: cell)
                #expect(isThere && server == .primaryForLaggingStandby)
            }
        }
        _ = try connection.query("SELECT 1 FROM (SELECT pg_wal_replay_resume()) AS resumed", [])
        try awaitStandby(try write(20, at: 0))
    }

    @Test("a standby that ends, or hears nothing, costs a moment at most, and is read again when it is back")
    func away() throws {
        try awaitStandby(try write(0, at: 0))
        standby.stop(with: SIGQUIT)
        for number in 1..<10 {
            let (isThere, server) = try finds(try write(number, at: 0), at: 1)
            #expect(isThere && server == .primaryForLostStandby)
        }
        try standby.start()
        try awaitStandby(try write(10, at: 0))

        standby.pause()
        defer { standby.resume() }
        let begin = ContinuousClock.now
        for number in 11..<20 {
            let (isThere, server) = try finds(try write(number, at: 0), at: 1)
            #expect(isThere && server == .primaryForLostStandby)
        }
        #expect(begin.duration(to: .now) < .seconds(20))
        standby.resume()
        try awaitStandby(try write(20, at: 0))
    }

    @Test("a cell that starts anew is not mistaken for the one before it")
    func newIncarnation() throws {
        try awaitStandby(try write(0, at: 0))
        let connection = try standby.connect()
        _ = try connection.query("SELECT 1 FROM (SELECT pg_wal_replay_pause()) AS paused", [])
        let again = Store(
            try PostgreSQLStore(
                try StoreAddress(uri: database.uri), cell: try #require(CellName("one")), durability: .waived))
        // Its count is behind that of the process before.
        try again.write { try $0.insertPeople(["zoe"]) }
        let (isThere, server) = try finds("zoe", at: 1)
        #expect(isThere && server == .primaryForLaggingStandby)
        _ = try connection.query("SELECT 1 FROM (SELECT pg_wal_replay_resume()) AS resumed", [])
    }

    @Test("another database in the standby's place answers nothing")
    func otherDatabase() throws {
        let user = try write(0, at: 0)
        let other = try primary.database()
        let stranger = Store(
            try PostgreSQLStore(
                try StoreAddress(uri: other.uri), cell: try #require(CellName("one")), durability: .waived))
        try stranger.write { try $0.insertPeople(["zoe"]) }
        let store = Store(
            try PostgreSQLStore(
                try StoreAddress(uri: database.uri), cell: try #require(CellName("three")), durability: .waived,
                standby: try StoreAddress(uri: other.uri, isStandby: true)))
        var server: ReadServer?
        #expect(try store.readAnywhere({ server = $0 }) { try $0.users.hasMember(user) })
        #expect(server == .primaryForLaggingStandby)
    }
}
