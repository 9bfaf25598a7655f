import Foundation
import GatewaySite
import ParleyBridge
import ParleyProtocol
import ParleyStore
import Platform
import PostgreSQLServer

/// Cells over one database, and HAProxy in front of them, in a temporary directory that goes with the value. Used by
/// one thread.
final class CellSite {
    let database: CellDatabase
    let cells: [TrialCell]
    let door: TrialDoor
    private let folder: String
    private let reach: Reach

    enum Servers {
        case single(PostgreSQLServer)
        case pair(ServerPair)

        /// Which takes writes.
        var primary: PostgreSQLServer {
            switch self {
            case .single(let server): server
            case .pair(let pair): pair.primary
            }
        }
    }

    /// How a site's cells reach the database.
    struct Reach {
        /// Of each cell.
        var uris: [String]
        /// Of the trial itself.
        var ownURI: String
        /// Of each cell; none where all are in this machine's.
        var networks: [CellNetwork] = []
        /// The servers, which are there as long as the site is.
        let servers: Servers

        /// All the same way.
        init(_ uri: String, of servers: Servers, cells: Int) {
            uris = Array(repeating: uri, count: cells)
            ownURI = uri
            self.servers = servers
        }
    }

    /// Makes the database, and starts all; returns when devices can sign in at each cell.
    ///
    /// - Parameter populate: fills the database before anything runs.
    init(
        _ installation: Installation, _ reach: Reach, populate: (CellDatabase, Store, TokenIssuer) throws -> Void
    ) throws {
        folder = try Site.temporaryDirectory(in: installation.scratch)
        self.reach = reach
        database = CellDatabase(uri: reach.ownURI)
        var cells: [TrialCell] = []
        for (index, uri) in reach.uris.enumerated() {
            cells.append(
                try TrialCell(
                    number: index + 1, in: folder, installation, uri: uri, keys: cells.first?.keys,
                    network: reach.networks.isEmpty ? nil : reach.networks[index]))
        }
        self.cells = cells
        let (database, tokens) = (database, try cells[0].readTokens())
        try database.populate { try populate(database, $0, tokens) }
        // One after the other: their numbers go by the order in which they come.
        for cell in cells {
            try cell.start()
            try cell.awaitReady()
        }
        door = try TrialDoor(cells, in: folder, template: installation.template)
        try awaitService()
    }

    /// Waits until HAProxy sends users to each cell.
    func awaitService() throws {
        for cell in cells { try wait(for: "HAProxy's word that \(cell.name) is up") { door.isUp(cell) } }
    }

    /// Waits for a condition that must come true in a minute.
    func wait(for what: String, _ condition: () throws -> Bool) throws {
        let deadline = ContinuousClock.now + .seconds(60)
        while try !condition() {
            guard ContinuousClock.now < deadline else { throw LoadError.missing(what) }
            usleep(10_000)
        }
    }

    /// What cells have said that they must never say: that the database was put back.
    var complaints: [String] { cells.filter { $0.log.contains("was put back") }.map { "\($0.name): put back" } }

    /// Ends all, and removes every file.
    func close() {
        door.end()
        cells.forEach { $0.end() }
        database.forgetConnection()
        try? FileManager.default.removeItem(atPath: folder)
    }
}
