import Foundation
import GatewaySite
import Platform
import PostgreSQL
import PostgreSQLServer

/// What a trial is carried out with.
struct CellSession {
    let installation: Installation
    let seed: UInt64
    let lanes: Int
    /// How long a device may wait for service, in nanoseconds.
    let limit: Int64
    /// How long a message may take to another cell without notifications, in nanoseconds.
    let hearingLimit: Int64
    let stop: StopFlag

    struct Outcome {
        let table: Table
        let hasPassed: Bool
        /// Of what was found.
        let examples: [String]
    }

    private static let cells = 2
    /// How long a cell stands still: beyond its lease, and beyond a broker's patience with nobody.
    private static let stopTime = Duration.seconds(10)

    func run(_ trial: CellTrial, rounds: Int) throws -> Outcome {
        switch trial {
        case .kills: try loaded(trial, rounds, limit: limit) { run in try run.killSomething() }
        case .stops: try loaded(trial, rounds, limit: limit) { run in try run.stopSomething(for: Self.stopTime) }
        case .partitions: try partitions(rounds)
        case .promotions: try promotions(rounds)
        case .removals: try removals(rounds)
        case .doorbell: try doorbell(rounds)
        }
    }

    func run(_ control: CellControl) throws -> Outcome {
        switch control {
        case .asynchronousStandby: try asynchronousStandby()
        case .tailByPosition: try tailByPosition()
        case .noFencing: try noFencing()
        }
    }

    // MARK: Under load

    private func loaded(
        _ trial: CellTrial, _ rounds: Int, limit: Int64?, reach: CellSite.Reach? = nil,
        _ round: (LoadedTrial) throws -> Void
    ) throws -> Outcome {
        let run = try LoadedTrial(installation, reach ?? CellSession.reach(), seed: seed, stop: stop)
        defer { run.site.close() }
        for number in 1...rounds {
            try round(run)
            guard number.isMultiple(of: max(1, min(10, rounds / 5))) || number == rounds else { continue }
            report("\(trial.rawValue): \(number) of \(rounds), \(run.progress)")
        }
        return CellSession.outcome(try run.finish(trial.rawValue), limit: limit)
    }

    private static func outcome(_ summary: TrialSummary, limit: Int64?) -> Outcome {
        var table = Table(TrialSummary.header, names: 1)
        table.rows.append(summary.row)
        return Outcome(
            table: table, hasPassed: summary.isPassed(limit: limit), examples: summary.findings.examples)
    }

    /// A database on a new server, which all cells reach by its Unix socket.
    private static func reach(_ options: ServerOptions = ServerOptions()) throws -> CellSite.Reach {
        var options = options
        options.syncs = true
        let server = try PostgreSQLServer(options)
        let connection = try server.connect()
        defer { connection.close() }
        try connection.execute("CREATE DATABASE parley")
        return CellSite.Reach(server.uri(database: "parley"), of: .single(server), cells: cells)
    }

    private func promotions(_ rounds: Int) throws -> Outcome {
        let pair = try ServerPair(isSynchronous: true)
        let reach = CellSite.Reach(pair.uri, of: .pair(pair), cells: CellSession.cells)
        return try loaded(.promotions, rounds, limit: nil, reach: reach) { run in try run.promote(pair) }
    }

    // MARK: Partitions

    private static let storeName = "store"
    private static let storePort: UInt16 = 5432

    private func partitions(_ rounds: Int) throws -> Outcome {
        guard CellNetwork.isPossible else {
            throw LoadError.missing("the right to make networks: run as root, under `unshare --net`")
        }
        let networks = try (1...CellSession.cells).map { try CellNetwork(number: $0) }
        var options = ServerOptions()
        let certificate = try ServerCertificate(name: CellSession.storeName)
        options.certificate = certificate
        options.port = CellSession.storePort
        options.settings = ["listen_addresses": "*"]
        options.authentication = ["hostssl all all 10.77.0.0/16 scram-sha-256"]
        let authority = "\(installation.scratch)/parley-authority-\(getpid()).pem"
        try certificate.certificate.write(toFile: authority, atomically: false, encoding: .utf8)
        defer { try? FileManager.default.removeItem(atPath: authority) }
        var reach = try CellSession.reach(options)
        reach.networks = networks
        reach.uris = networks.map { network in
            let password = PostgreSQLServer.password.replacing(" ", with: "%20")
            return "postgresql://\(PostgreSQLServer.user):\(password)@\(CellSession.storeName):\(CellSession.storePort)"
                + "/parley?hostaddr=\(network.storeAddress)&sslrootcert=\(authority.replacing("/", with: "%2F"))"
        }
        return try loaded(.partitions, rounds, limit: limit, reach: reach) { run in
            try run.cutSomething(networks)
        }
    }

    // MARK: Cells that hear late or nothing

    /// Cells each of which reaches the database by a proxy of its own.
    private func proxied() throws -> (proxies: [StoreProxy], reach: CellSite.Reach) {
        var reach = try CellSession.reach()
        let folder = reach.servers.primary.socketFolder
        let proxies = try reach.uris.map { _ in try StoreProxy(server: folder) }
        reach.uris = proxies.map { proxy in
            "postgresql://\(PostgreSQLServer.user)@\(proxy.folder.replacing("/", with: "%2F"))/parley"
        }
        return (proxies, reach)
    }

    /// Of each part of what goes between a cell and the database, in milliseconds.
    private static let longestDelay: UInt32 = 4
    /// Who leaves, cuts themselves off.
    private static let cuts: [Cut] = [.remove, .block, .revoke, .operatorRevoke]

    private func removals(_ rounds: Int) throws -> Outcome {
        let (proxies, reach) = try proxied()
        var casts: [Cast] = []
        let site = try CellSite(installation, reach) { _, store, tokens in
            casts = try Cast.make((0..<rounds).map { Self.cuts[$0 % Self.cuts.count] }, store: store, tokens: tokens)
        }
        defer { site.close() }
        for proxy in proxies { proxy.delay(upTo: Self.longestDelay) }
        let outcomes = try TrialRun(
            casts: casts, ports: site.cells.map(\.port), seed: seed, isCutMade: true, lanes: lanes, stop: stop
        ).perform()
        let summary = TrialReport(outcomes)
        var faults = summary.breaches + summary.gaps
        // The rest was in the way of a machine that does too much.
        if outcomes.count * 10 < rounds * 9 { faults.append("only \(outcomes.count) of \(rounds) came to their end") }
        return Outcome(table: summary.table, hasPassed: faults.isEmpty, examples: Array(faults.prefix(10)))
    }

    private static let doorbellPairs = 40

    private func doorbell(_ rounds: Int) throws -> Outcome {
        let (proxies, reach) = try proxied()
        for proxy in proxies { proxy.dropNotifications() }
        var groups: [Population.Group] = []
        let site = try CellSite(installation, reach) { _, store, tokens in
            groups = try Population.make(
                conversations: Self.doorbellPairs, members: 3, store: store, tokens: tokens)
        }
        defer { site.close() }
        let times = try Doorbell(
            groups: groups, ports: site.cells.map(\.port), count: rounds, seed: seed, stop: stop
        ).measure()
        let dropped = proxies.reduce(0) { $0 + $1.droppedCount }
        var table = Table(
            ["trial", "messages", "notifications lost", "heard after p50, ms", "p90", "p99", "most"], names: 1)
        table.rows = [
            ["doorbell", "\(times.count)", "\(dropped)"]
                + [times.percentile(0.5), times.percentile(0.9), times.percentile(0.99), times.last].map {
                    $0.map { (Double($0) / 1e6).formatted(0) } ?? ""
                }
        ]
        let isInTime = times.allSatisfy { $0 < hearingLimit }
        return Outcome(
            table: table, hasPassed: isInTime && dropped > 0,
            examples: isInTime ? [] : ["\(times.filter { $0 >= hearingLimit }.count) messages took longer"])
    }

    // MARK: Controls

    private func asynchronousStandby() throws -> Outcome {
        let pair = try ServerPair(isSynchronous: false)
        let run = try LoadedTrial(
            installation, CellSite.Reach(pair.uri, of: .pair(pair), cells: CellSession.cells), seed: seed, stop: stop)
        defer { run.site.close() }
        try run.awaitAnswers(50)
        // What is answered meanwhile it does not have.
        pair.standby.kill()
        try run.awaitAnswers(50)
        try run.disturb("primary killed", rereads: true) {
            pair.primary.kill()
            return {
                try pair.standby.start()
                try pair.exchange(by: .baseBackup)
                run.site.database.forgetConnection()
            }
        }
        let summary = try run.finish("asynchronous standby")
        return CellSession.control(summary) { $0[.lost] > 0 }
    }

    private func tailByPosition() throws -> Outcome {
        let run = try LoadedTrial(
            installation, CellSession.reach(), seed: seed, stop: stop, areApart: true,
            prepare: GlobalTail.prepare)
        defer { run.site.close() }
        return CellSession.control(try run.tailByNumber(for: .seconds(5))) { $0[.unheard] > 0 && $0[.lost] == 0 }
    }

    private func noFencing() throws -> Outcome {
        // Devices stay where they are, and hear nothing of what is not published there.
        let run = try LoadedTrial(installation, CellSession.reach(), seed: seed, stop: stop, areApart: true)
        defer { run.site.close() }
        return CellSession.control(try run.writeStale()) { $0[.unheard] > 0 }
    }

    private static func control(_ summary: TrialSummary, isFound: (Findings) -> Bool) -> Outcome {
        let outcome = outcome(summary, limit: nil)
        return Outcome(table: outcome.table, hasPassed: isFound(summary.findings), examples: outcome.examples)
    }
}
