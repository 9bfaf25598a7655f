import Foundation
import GatewaySite
import Launch
import ParleyBridge

/// The programs of a system under load, and what they use.
struct RunningSystem {
    let brokers: [ChildProcess]
    /// Gateways, or the relay.
    let gateways: [ChildProcess]
    let cluster: CellCluster?

    func usage() throws -> CellUsage {
        CellUsage(
            brokers: brokers.reduce(0) { $0 + ProcessUsage.cpuSeconds($1.identifier) },
            gateways: gateways.reduce(0) { $0 + ProcessUsage.cpuSeconds($1.identifier) },
            database: cluster?.serverSeconds ?? 0, commits: try cluster?.commits())
    }

    /// Ends all but the brokers.
    func end() {
        for gateway in gateways { gateway.send(SIGTERM) }
        for gateway in gateways { gateway.waitUntilEnded(within: Site.grace) }
    }
}

/// CPU seconds, and transactions of the gateways where they are counted.
struct CellUsage {
    var brokers: Double
    var gateways: Double
    var database: Double
    var commits: Int?

    static func - (later: CellUsage, earlier: CellUsage) -> CellUsage {
        CellUsage(
            brokers: later.brokers - earlier.brokers, gateways: later.gateways - earlier.gateways,
            database: later.database - earlier.database,
            commits: later.commits.flatMap { count in earlier.commits.map { count - $0 } })
    }
}
