import Foundation
import GatewaySite
import Launch
import ParleyBridge
import ParleyPostgreSQL
import ParleyStore
import PostgreSQL
import PostgreSQLServer

/// Cells over one database, all on this machine and in temporary directories: each a broker with the plugin, and in
/// front of it a gateway.
final class CellCluster {
    let groups: [Population.Group]
    let sites: [Site]
    private let server: PostgreSQLServer
    private let access: ServerAccess

    /// Makes the cells and starts their brokers.
    ///
    /// - Parameters:
    ///   - conversations: whose users are new.
    ///   - members: of each.
    init(
        _ count: Int, conversations: Int, members: Int = 2, on server: PostgreSQLServer, _ installation: Installation
    ) throws {
        let access = try ServerAccess(server, scratch: installation.scratch)
        (self.server, self.access) = (server, access)
        var sites: [Site] = []
        do {
            for number in 1...count {
                let first = sites.first
                sites.append(
                    try Site(installation, storeOptions: access.options + ["--cell", "cell-\(number)"]) { directory in
                        try first?.copyKeys(to: directory)
                    })
            }
            let tokens = TokenIssuer(key: try sites[0].directory.readSigningKey())
            let store = try access.store(cell: "cell-1")
            groups = try Population.make(conversations: conversations, members: members, store: store, tokens: tokens)
            try store.close()
        } catch {
            for site in sites { site.close() }
            throw error
        }
        self.sites = sites
    }

    /// Starts the gateways, and returns when devices can sign in at each.
    func start() throws -> RunningSystem {
        RunningSystem(brokers: sites.map(\.broker), gateways: try sites.map { try $0.startGateway() }, cluster: self)
    }

    var serverSeconds: Double { server.cpuSeconds }

    /// How many transactions the gateways have committed since they started.
    func commits() throws -> Int { try access.number("SELECT sum(commits)::bigint FROM parley.cells") }

    /// What is wrong with the logs of the conversations, in which so many messages were sent.
    func faults(sent: Int) throws -> Faults { try access.faults(sent: sent) }

    func close() {
        for site in sites { site.close() }
        access.close()
    }
}

extension Site {
    /// Makes the tokens of this site good at another.
    fileprivate func copyKeys(to other: DataDirectory) throws {
        for name in try FileManager.default.contentsOfDirectory(atPath: directory.path + "/keys") {
            let path = "\(other.path)/keys/\(name)"
            try? FileManager.default.removeItem(atPath: path)
            try FileManager.default.copyItem(atPath: "\(directory.path)/keys/\(name)", toPath: path)
        }
    }
}
