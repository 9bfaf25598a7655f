/// Who talks to whom: each sender has a conversation of its own, of which it is a member.
struct Scenario: Hashable {
    let members: Int
    let senders: Int

    var label: String {
        "conversations of \(members), \(senders) \(senders == 1 ? "sender" : "senders")"
    }
}

/// What is measured, and how long.
struct ComparisonPlan {
    var systems = System.ownSystems
    /// The program of ``System/otherGateway``.
    var otherParleyd: String?
    var members = [2, 10]
    var senders = [1, 16, 64]
    /// Messages that all senders together keep under way in a closed loop. Enough that nobody on the way ever waits for
    /// a device, and below the 1000 that the broker lets be unacknowledged towards one client, so that it queues none.
    var underWay = 512
    /// Messages a second of the open loops.
    var rates = [200, 1000]
    /// The senders that share those rates.
    var latencySenders = 16
    var runs = 5
    var warmUp = 1.0
    /// Seconds of each closed loop.
    var seconds = 6.0
    /// Seconds of each open loop.
    var latencySeconds = 10.0

    var scenarios: [Scenario] {
        members.flatMap { members in
            let counts = senders + (rates.isEmpty || senders.contains(latencySenders) ? [] : [latencySenders])
            return counts.map { Scenario(members: members, senders: $0) }
        }
    }

    /// The loads of one scenario, which follow each other on one start of each system.
    func loads(_ scenario: Scenario) -> [Load] {
        var loads: [Load] = senders.contains(scenario.senders) ? [.throughput] : []
        if scenario.senders == latencySenders { loads += rates.map(Load.rate) }
        return loads
    }

    func loadPlan(_ load: Load, _ scenario: Scenario, _ system: System) -> LoadPlan {
        switch load {
        case .throughput:
            LoadPlan(
                pace: .closed(window: max(1, underWay / scenario.senders)), form: system.form, warmUp: warmUp,
                measured: seconds)
        case .rate(let rate):
            LoadPlan(pace: .open(perSecond: rate), form: system.form, warmUp: warmUp, measured: latencySeconds)
        }
    }
}

/// A way of loading a scenario.
enum Load: Hashable {
    case throughput
    /// So many messages a second.
    case rate(Int)
}
