import ParleyPostgreSQL
import ParleyProtocol
import PostgreSQLServer
import TestNames
import TestSupport
import Testing

@testable import ParleyStore

/// A database file and one on a server, between which is copied.
struct TransferSite {
    let directory: TemporaryDirectory
    let database: TestDatabase
    let address: StoreAddress

    struct Killed: Error {}

    init() throws {
        directory = try TemporaryDirectory()
        database = try PostgreSQLServer.shared().database()
        address = try StoreAddress(uri: database.uri)
    }

    var file: String { directory.database }
    var back: String { directory.path + "/back.db" }

    /// Everything that the scenario leaves, and a log of several pages, the end of which is not published.
    func fill() throws {
        let store = try Store(path: file)
        try StoreScenario(store: store).run()
        let id = ConversationID.random()
        try store.write { transaction in
            try transaction.insertPeople(["paula", "quinn"])
            try transaction.insertConversation(["paula", "quinn"], id: id)
            for _ in 0..<250 { try transaction.append(to: id, from: device("paula", "phone")) }
            try transaction.insertEvent(
                position: try transaction.facts.outbox.lastPosition() + 1, topic: Array("t".utf8)[...],
                payload: Array("p".utf8)[...], retain: true)
            try transaction.outbox.advance(through: try transaction.facts.outbox.lastPosition() + -20)
        }
        try store.close()
    }

    /// Opens it as the gateway of a cell does.
    func open(_ cell: String) throws -> Store {
        Store(try PostgreSQLStore(address, cell: try #require(CellName(cell)), durability: .waived))
    }

    func openTarget(_ cell: String = "main") throws -> Store {
        try TransferServer(address).openTarget(try #require(CellName(cell)), durability: .waived)
    }

    func openSource(_ cell: String = "main") throws -> Store {
        try TransferServer(address).openSource(try #require(CellName(cell)), durability: .waived)
    }

    /// Copies the file to the server, as one process would.
    @discardableResult
    func export(
        pushes: PushStore? = nil, reached: @escaping (DatabaseTransfer.Step) throws -> Void = { _ in }
    ) throws -> Int {
        let (source, target) = (try Store(path: file), try openTarget())
        defer {
            try? source.close()
            try? target.close()
        }
        return try DatabaseTransfer(from: source, pushes: pushes, to: target, reached: reached).run()
    }

    /// Copies the server's database to the other file.
    @discardableResult
    func importBack(
        as cell: String = "main", prepare: (Store) throws -> Void = { _ in },
        reached: @escaping (DatabaseTransfer.Step) throws -> Void = { _ in }
    ) throws -> Int {
        let (source, target) = (try openSource(cell), try Store(path: back))
        defer {
            try? source.close()
            try? target.close()
        }
        try prepare(target)
        return try DatabaseTransfer(from: source, pushes: nil, to: target, reached: reached).run()
    }

    /// Each row of each table, as text; without the link to a database of pushes, which is not copied.
    static func rows(_ path: String) throws -> [String] {
        let store = try Store(path: path)
        defer { try? store.close() }
        return try store.read { snapshot throws in
            let tables = try snapshot.database.schemaTables()
            return try tables.values.sorted { $0.name < $1.name }.filter { $0.name != "push_link" }.flatMap {
                table throws -> [String] in
                let names = table.columns.map { TransferTable.quoted($0.name) }.joined(separator: ", ")
                let key = table.key.map { TransferTable.quoted($0.name) }.joined(separator: ", ")
                return try snapshot.database.list("SELECT \(names) FROM \(table.name) ORDER BY \(key)") {
                    "\(table.name): \($0.values(table.columns.count))"
                }
            }
        }
    }
}
