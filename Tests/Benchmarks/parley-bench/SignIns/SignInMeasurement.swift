import GatewaySite
import Launch

/// Messages alone and beside attempts to sign in, by turns.
struct SignInMeasurement {
    /// One turn of messages.
    private struct Turn {
        let p50: Double
        let p99: Double
        let longest: Double
        /// Of the gateway and of the broker.
        let cores: (gateway: Double, broker: Double)
    }

    let site: Site
    let gateway: ChildProcess
    let fleet: Fleet
    let attempts: SignInAttempts
    let plan: LoadPlan
    private var alone: [Turn] = []
    private var beside: [Turn] = []
    private var outcome = SignInOutcome()
    private var seconds = 0.0
    private(set) var faults = Faults()

    init(site: Site, gateway: ChildProcess, fleet: Fleet, attempts: SignInAttempts, plan: LoadPlan) {
        (self.site, self.gateway, self.fleet) = (site, gateway, fleet)
        (self.attempts, self.plan) = (attempts, plan)
    }

    mutating func measure(_ round: Int, of rounds: Int) throws {
        alone.append(try turn())
        let begun = MonotonicTime.now
        let (turn, outcome) = try attempts.run { [self] in try self.run() }
        seconds += Double(MonotonicTime.now - begun) / 1e9
        beside.append(take(turn))
        self.outcome += outcome
        GatewaySite.report(
            "turn \(round) of \(rounds): p99 \(alone[round - 1].p99.formatted(2)) ms alone, "
                + "\(beside[round - 1].p99.formatted(2)) ms beside \(outcome.answered) attempts")
    }

    private mutating func turn() throws -> Turn { take(try run()) }

    private mutating func take(_ sample: (Turn, Faults)) -> Turn {
        faults += sample.1
        return sample.0
    }

    private func run() throws -> (Turn, Faults) {
        var begun = (gateway: 0.0, broker: 0.0)
        var used = (gateway: 0.0, broker: 0.0)
        let outcome = try fleet.run(plan) { edge in
            let now = (
                gateway: ProcessUsage.cpuSeconds(gateway.identifier),
                broker: ProcessUsage.cpuSeconds(site.broker.identifier)
            )
            switch edge {
            case .begin: begun = now
            case .end: used = (now.gateway - begun.gateway, now.broker - begun.broker)
            }
        }
        func milliseconds(_ share: Double) -> Double {
            outcome.latencies.percentile(share).map { Double($0) / 1e6 } ?? .nan
        }
        let turn = Turn(
            p50: milliseconds(0.5), p99: milliseconds(0.99), longest: milliseconds(1),
            cores: (used.gateway / outcome.seconds, used.broker / outcome.seconds))
        return (turn, outcome.faults)
    }

    // MARK: Report

    func report(messages: Int, attempts: Int) -> Table {
        var table = Table(
            ["messages", "beside them", "p50 ms", "p99 ms", "p99 of the turns", "longest", "gateway", "broker"],
            names: 2)
        for (name, turns) in [("nothing", alone), ("\(attempts) attempts a second", beside)] {
            func median(_ value: (Turn) -> Double) -> Double { Spread(turns.map(value))?.median ?? .nan }
            let spread = Spread(turns.map(\.p99))
            table.rows.append([
                "\(messages) a second", name, median(\.p50).formatted(2), median(\.p99).formatted(2),
                "\((spread?.least ?? .nan).formatted(2)) to \((spread?.most ?? .nan).formatted(2))",
                (turns.map(\.longest).max() ?? .nan).formatted(0),
                "\(median(\.cores.gateway).formatted(2)) cores", "\(median(\.cores.broker).formatted(2)) cores",
            ])
        }
        return table
    }

    var attemptsLine: String {
        let times = outcome.times.sorted()
        func milliseconds(_ share: Double) -> String {
            times.percentile(share).map { (Double($0) / 1e6).formatted(0) } ?? "no"
        }
        func rate(_ count: Int) -> String { (Double(count) / max(seconds, 0.001)).formatted(1) }
        return "attempts a second: \(rate(outcome.signedIn)) signed in, \(rate(outcome.wrong)) with a wrong password, "
            + "\(rate(outcome.turnedAway)) turned away; answered in \(milliseconds(0.5)) ms (p50), "
            + "\(milliseconds(0.99)) ms (p99)"
    }
}
