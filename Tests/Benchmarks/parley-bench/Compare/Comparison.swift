import Launch
import GatewaySite
import Platform
import ParleyBridge

/// One system under one load, once.
struct Sample {
    let outcome: LoadOutcome
    /// CPU time of the broker and of what stands behind it, in microseconds a message.
    let brokerMicroseconds: Double
    let systemMicroseconds: Double
}

/// All samples of one scenario under one load: a round holds each system once, one soon after the other.
struct Series {
    let scenario: Scenario
    let load: Load
    var rounds: [[System: Sample]] = []
}

/// Measures every system in every scenario, by turns, so that whatever else the machine does meets them all.
struct Comparison {
    let plan: ComparisonPlan
    let installation: Installation
    let stop: StopFlag

    /// - Parameter faults: what went wrong with messages, in all runs together.
    func run(faults: inout Faults) throws -> [Series] {
        try plan.scenarios.flatMap { try measure($0, faults: &faults) }
    }

    private func measure(_ scenario: Scenario, faults: inout Faults) throws -> [Series] {
        report("\(scenario.label): preparing")
        var groups: [Population.Group] = []
        let site = try Site(installation) { store, tokens in
            groups = try Population.make(
                conversations: scenario.senders, members: scenario.members, store: store, tokens: tokens)
        }
        defer { site.close() }
        // The broker lets devices in once the gateway has told it who there is; they stay from then on.
        let first = try site.start(.gatewayEvent)
        let fleet = try Fleet(groups, port: site.port, stop: stop)
        first.end()

        let loads = plan.loads(scenario)
        var series = loads.map { Series(scenario: scenario, load: $0) }
        var sentToGateway = 0
        for round in 0..<plan.runs {
            for index in series.indices { series[index].rounds.append([:]) }
            for system in plan.systems.rotated(by: round) {
                let program = try site.start(system, otherParleyd: plan.other)
                for (index, load) in loads.enumerated() {
                    let sample = try measure(
                        fleet, plan.loadPlan(load, scenario, system), broker: site.broker, system: program)
                    series[index].rounds[round][system] = sample
                    faults += sample.outcome.faults
                    if system.isGateway { sentToGateway += sample.outcome.sent }
                    report(
                        "\(scenario.label), run \(round + 1) of \(plan.runs), \(system.label): "
                            + ComparisonReport.progress(sample, load))
                }
                program.end()
            }
        }
        try checkStored(site, groups, sent: sentToGateway, faults: &faults)
        return series
    }

    private func measure(
        _ fleet: Fleet, _ plan: LoadPlan, broker: ChildProcess, system: ChildProcess
    ) throws -> Sample {
        var begun = (broker: 0.0, system: 0.0)
        var used = (broker: 0.0, system: 0.0)
        let outcome = try fleet.run(plan) { edge in
            let now = (
                broker: ProcessUsage.cpuSeconds(broker.identifier), system: ProcessUsage.cpuSeconds(system.identifier)
            )
            switch edge {
            case .begin: begun = now
            case .end: used = (now.broker - begun.broker, now.system - begun.system)
            }
        }
        let messages = Double(max(1, outcome.completed))
        return Sample(
            outcome: outcome, brokerMicroseconds: used.broker * 1e6 / messages,
            systemMicroseconds: used.system * 1e6 / messages)
    }

    /// Everything that the gateway delivered is in its database, once: `seq` has no hole, so the last one is the count.
    private func checkStored(
        _ site: Site, _ groups: [Population.Group], sent: Int, faults: inout Faults
    ) throws {
        let stored = try site.storedMessages(in: groups)
        if stored < sent { faults.losses += sent - stored }
        if stored > sent { faults.duplicates += stored - sent }
    }
}

extension Array {
    func rotated(by count: Int) -> [Element] {
        guard !isEmpty else { return self }
        return Array(self[(count % self.count)...] + self[..<(count % self.count)])
    }
}
