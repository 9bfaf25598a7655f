import Foundation
import MQTTClient
import ParleyProtocol
import PostgreSQL
import PostgreSQLServer
import TestSupport
import Testing

/// Cells over one PostgreSQL: each a real Mosquitto with the plugin and a real `parleyd`, in a data directory of its
/// own with the keys of the others. A device signs in at any of them by the same token.
final class CellSite: Sendable {
    let server: PostgreSQLServer
    let database: TestDatabase
    /// What each cell reaches the database by; none where it reaches it directly.
    let proxies: [StoreProxy]
    let cells: [TestGateway]

    /// Starts all; returns when devices can sign in at each.
    ///
    /// - Parameters:
    ///   - proxied: whether each cell reaches the database by a proxy of its own.
    ///   - programs: where those of another version lie.
    ///   - prepare: is given the database before any cell.
    init(
        _ count: Int = 2, proxied: Bool = false, programs: String? = nil, settings: JSON = TestGateway.roomy,
        prepare: (TestDatabase) throws -> Void = { _ in }
    ) throws {
        server = try CellSite.durableServer()
        let database = try server.database()
        try prepare(database)
        self.database = database
        let folder = server.socketFolder
        let proxies = try proxied ? (0..<count).map { _ in try StoreProxy(server: folder) } : []
        self.proxies = proxies
        cells = try (0..<count).map { index in
            let uri = proxied ? CellSite.uri(of: database, in: proxies[index].folder) : database.uri
            return try CellSite.gateway("cell\(index + 1)", uri, settings: settings)
        }
        for cell in cells.dropFirst() { try cell.copyKeys(from: cells[0]) }
        if let programs { for cell in cells { try cell.machines[0].install(programs) } }
        // One after the other: their numbers go by the order in which they come.
        for cell in cells {
            try cell.startBroker()
            try cell.startParleyd()
        }
    }

    /// Parleyd takes no server that does not sync.
    static func durableServer() throws -> PostgreSQLServer {
        var options = ServerOptions()
        options.syncs = true
        return try PostgreSQLServer(options)
    }

    /// A data directory whose gateway is to run as a cell; nothing is started.
    static func gateway(
        _ cell: String, _ uri: String, settings: JSON = TestGateway.roomy
    ) throws -> TestGateway {
        try TestGateway(settings: settings, arguments: ["--store", uri, "--cell", cell], start: false)
    }

    private static func uri(of database: TestDatabase, in folder: String) -> String {
        "postgresql://\(PostgreSQLServer.user)@\(folder.replacing("/", with: "%2F"))/\(database.name)"
    }
}

extension CellSite {
    /// New users, each with a device that is connected to the cell of its index.
    func clients(at indices: Int...) throws -> [DeviceClient] {
        let people = try cells[0].people(indices.count)
        return try zip(people, indices).map { try cells[$1].connect($0) }
    }

    /// Two who talk, each at a cell, and their conversation.
    func pair(at one: Int = 0, _ other: Int = 1) throws -> (
        alice: DeviceClient, bob: DeviceClient, conversation: String
    ) {
        let clients = try clients(at: one, other)
        return (clients[0], clients[1], try clients[0].conversation(with: clients[1].user))
    }

    /// The same for a run under load, one device at each of two cells.
    func loadedPair() throws -> LoadRun.Pair {
        let (alice, bob, conversation) = try pair()
        guard let id = ConversationID(conversation) else { throw NeverCameError("a conversation's id") }
        return LoadRun.Pair(id: id, devices: [(cells[0], alice.credentials), (cells[1], bob.credentials)])
    }

    /// The only number that a statement gives.
    func number(_ statement: String) throws -> Int {
        let connection = try database.connect()
        defer { connection.close() }
        return try #require(try connection.query(statement, []).integer(0, 0))
    }
}

extension DeviceClient {
    /// The seqs of messages that have come in a conversation, in the order in which they came.
    func seqs(in conversation: String) -> [Int] {
        events(on: "conversations/\(conversation)/messages").compactMap { $0["data"]["seq"].int }
    }

    /// The ids of these.
    func ids(in conversation: String) -> [String] {
        events(on: "conversations/\(conversation)/messages").compactMap { $0["data"]["id"].text }
    }

    /// Waits for a message, which stays in the inbox.
    func hear(_ id: String, in conversation: String) throws {
        let topic = "parley/v1/conversations/\(conversation)/messages"
        _ = try until("message \(id)") { inbox.first { $0.topic == topic && $0.json["data"]["id"].text == id } }
    }

    /// The same, unless the broker ends the connection before.
    ///
    /// - Returns: whether it came.
    func hears(_ id: String, in conversation: String) throws -> Bool {
        do { try hear(id, in: conversation) } catch is MQTTError { return false }
        return true
    }

    /// Reads until the broker ends the connection.
    func readToEnd() throws {
        do {
            while true { try receive(timeout: .seconds(1)) }
        } catch is MQTTError { return }
    }

    /// Reads all that the broker has sent until now: it answers this request by itself.
    func readAllSent() throws { try subscribe("parley/v1/users/\(user)/events") }

    /// Sends a message, as apps do: again while the gateway cannot take it.
    ///
    /// - Returns: its id.
    @discardableResult
    func say(in conversation: String) throws -> String {
        let id = newID()
        try acceptedAtLast("messages/send", message(conversation, id: id))
        return id
    }

    /// Sends messages without waiting for their replies.
    ///
    /// - Returns: the ids, which are the correlation data, too.
    func begin(_ count: Int, in conversation: String) throws -> [String] {
        try (0..<count).map { _ in
            let id = newID()
            try ask("messages/send", message(conversation, id: id).bytes, as: id)
            return id
        }
    }

    /// The replies to what was begun.
    func finish(_ ids: [String]) throws -> [JSON] { try ids.map { try reply(to: Array($0.utf8)) } }
}

extension Trait where Self == ConditionTrait {
    /// For tests of cells.
    static var postgreSQL: Self { .enabled(if: ServerPrograms.areExpected, "PostgreSQL is not installed") }
}
