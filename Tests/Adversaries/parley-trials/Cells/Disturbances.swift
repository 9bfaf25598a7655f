import Foundation
import GatewaySite
import ParleyProtocol
import Platform
import PostgreSQL
import PostgreSQLServer

// What is done to cells and to their database under load.

extension LoadedTrial {
    /// Kills a cell, and starts it again at once or after its devices have gone elsewhere.
    func killSomething() throws {
        pause(0...500)
        guard let cell = site.cells.randomElement(using: &random),
            let part = TrialCell.Part.allCases.randomElement(using: &random)
        else { return }
        let isLong = Bool.random(using: &random)
        try disturb("\(part) of \(cell.name) killed, \(isLong ? "back after seconds" : "back at once")") {
            cell.kill(part)
            return { [self] in
                pause(isLong ? 2500...4000 : 0...300)
                try cell.start()
            }
        }
        try cell.awaitReady()
        try site.awaitService()
    }

    /// Cuts links of a cell off for longer or shorter than its lease.
    func cutSomething(_ networks: [CellNetwork]) throws {
        pause(0...500)
        guard let network = networks.randomElement(using: &random),
            let links = [[CellNetwork.Link.store], [.door], [.store, .door]].randomElement(using: &random)
        else { return }
        let isLong = Bool.random(using: &random)
        let names = links.map(\.rawValue).joined(separator: " and ")
        try disturb("links to \(names) cut, \(isLong ? "longer" : "shorter") than the lease") {
            for link in links { try network.cut(link) }
            return { [self] in
                pause(isLong ? 3500...7000 : 100...2500)
                for link in links { try network.mend(link) }
            }
        }
        try site.awaitService()
    }

    /// Lets a cell stand still.
    func stopSomething(for time: Duration) throws {
        pause(0...500)
        guard let cell = site.cells.randomElement(using: &random),
            let part = [TrialCell.Part.gateway, .both].randomElement(using: &random)
        else { return }
        try disturb("\(part) of \(cell.name) stopped") {
            cell.send(SIGSTOP, to: part)
            return {
                usleep(UInt32(time.inMilliseconds) * 1000)
                cell.send(SIGCONT, to: part)
            }
        }
        try site.awaitService()
    }

    /// Kills the database's server, promotes the one that follows it, and lets the first follow that.
    func promote(_ pair: ServerPair) throws {
        pause(0...1000)
        guard let way = PostgreSQLServer.Return.allCases.randomElement(using: &random) else { return }
        try disturb("primary killed, back by \(way)", rereads: true) {
            pair.primary.kill()
            return { [self] in
                pause(0...500)
                try pair.exchange(by: way)
                site.database.forgetConnection()
            }
        }
        try site.awaitService()
    }
}

/// A server and the one that follows it.
final class ServerPair {
    private(set) var primary: PostgreSQLServer
    private(set) var standby: PostgreSQLServer

    /// - Parameter isSynchronous: whether a commit is answered only when the standby has it.
    init(isSynchronous: Bool) throws {
        var options = ServerOptions()
        options.syncs = true
        primary = try PostgreSQLServer(options)
        let connection = try primary.connect()
        try connection.execute("CREATE DATABASE parley")
        connection.close()
        // It stands in the files, and so in the standby's.
        if isSynchronous { try primary.demandStandby() }
        standby = try PostgreSQLServer(standbyOf: primary, options)
    }

    /// Both, of which the one that takes writes is used.
    var uri: String {
        let hosts = [primary, standby].map { $0.socketFolder.replacing("/", with: "%2F") }.joined(separator: ",")
        return "postgresql://\(PostgreSQLServer.user)@\(hosts)/parley"
    }

    /// The first has ended: the second takes its place, and is followed by the first.
    func exchange(by way: PostgreSQLServer.Return) throws {
        try standby.promote()
        swap(&primary, &standby)
        try standby.start(asStandbyOf: primary, by: way)
    }
}
