import GatewaySite
import Launch
import ParleyBridge
import Platform
import PostgreSQLServer

/// One system under one load, once.
struct CellSample {
    let outcome: LoadOutcome
    let usage: CellUsage

    private var messages: Double { Double(max(1, outcome.completed)) }

    /// CPU time in microseconds a message.
    var brokers: Double { usage.brokers * 1e6 / messages }
    var gateways: Double { usage.gateways * 1e6 / messages }
    var database: Double { usage.database * 1e6 / messages }
    var all: Double { brokers + gateways + database }

    /// The mean of what a transaction commits.
    var batch: Double? { usage.commits.map { messages / Double(max(1, $0)) } }

    func milliseconds(_ share: Double) -> Double {
        outcome.latencies.percentile(share).map { Double($0) / 1e6 } ?? .nan
    }
}

/// Measures systems by turns, so that whatever else the machine does meets them all.
final class CellsComparison {
    typealias Round = [CellSystem: [CellLoad: CellSample]]

    private let plan: CellsPlan
    private let stop: StopFlag
    /// Of the relay and of the gateway over SQLite.
    private let site: Site
    private let groups: [Population.Group]
    private let clusters: [Int: CellCluster]
    private var sent: [Int: Int] = [:]
    private(set) var faults = Faults()

    init(_ plan: CellsPlan, _ installation: Installation, stop: StopFlag) throws {
        (self.plan, self.stop) = (plan, stop)
        var groups: [Population.Group] = []
        let (senders, members) = (plan.senders, plan.members)
        site = try Site(installation) { store, tokens in
            groups = try Population.make(conversations: senders, members: members, store: store, tokens: tokens)
        }
        self.groups = groups
        let server = try ServerAccess.makeServer()
        var clusters: [Int: CellCluster] = [:]
        do {
            for count in plan.cells where clusters[count] == nil {
                clusters[count] = try CellCluster(
                    count, conversations: count * senders, members: members, on: server, installation)
            }
        } catch {
            for cluster in clusters.values { cluster.close() }
            site.close()
            throw error
        }
        self.clusters = clusters
    }

    func run() throws -> [Round] {
        // The broker lets devices in once a gateway has told it who there is.
        try site.start(.gatewayEvent).end()
        var rounds: [Round] = []
        for number in 0..<plan.runs {
            var round: Round = [:]
            for system in plan.systems.rotated(by: number) {
                round[system] = try measure(system, "run \(number + 1) of \(plan.runs), \(system.label)")
            }
            rounds.append(round)
        }
        for (count, cluster) in clusters { faults += try cluster.faults(sent: sent[count] ?? 0) }
        return rounds
    }

    func close() {
        for cluster in clusters.values { cluster.close() }
        site.close()
    }

    private func measure(_ system: CellSystem, _ label: String) throws -> [CellLoad: CellSample] {
        let running = try start(system)
        defer { running.end() }
        // Where they are connected changes, so devices come anew.
        let fleet = try fleet(of: system)
        var samples: [CellLoad: CellSample] = [:]
        for load in plan.loads {
            let sample = try measure(running, fleet, plan.loadPlan(load))
            faults += sample.outcome.faults
            if case .cells(let count, _) = system { sent[count, default: 0] += sample.outcome.sent }
            samples[load] = sample
            report("\(label), \(load.label): \(CellsReport.progress(sample, load))")
        }
        return samples
    }

    private func measure(_ running: RunningSystem, _ fleet: Fleet, _ plan: LoadPlan) throws -> CellSample {
        var begun: CellUsage?
        var used: CellUsage?
        let outcome = try fleet.run(plan) { edge in
            let now = try running.usage()
            switch edge {
            case .begin: begun = now
            case .end: used = begun.map { now - $0 }
            }
        }
        guard let used else { throw LoadError.missing("measurement") }
        return CellSample(outcome: outcome, usage: used)
    }

    private func start(_ system: CellSystem) throws -> RunningSystem {
        switch system {
        case .relay: RunningSystem(brokers: [site.broker], gateways: [try site.start(.relay)], cluster: nil)
        case .sqlite: RunningSystem(brokers: [site.broker], gateways: [try site.start(.gatewayEvent)], cluster: nil)
        case .cells(let count, _): try cluster(count).start()
        }
    }

    private func fleet(of system: CellSystem) throws -> Fleet {
        switch system {
        case .relay, .sqlite: return try Fleet(groups, port: site.port, stop: stop)
        case .cells(let count, let hearers):
            let cluster = try cluster(count)
            return try Fleet(cluster.groups, stop: stop) { conversation, member in
                cluster.sites[hearers.cell(of: member, in: conversation, cells: count)].port
            }
        }
    }

    private func cluster(_ count: Int) throws -> CellCluster {
        guard let cluster = clusters[count] else { throw LoadError.missing("cell") }
        return cluster
    }
}
