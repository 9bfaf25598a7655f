import Launch
import ArgumentParser
import Foundation
import GatewaySite
import ParleyBridge
import ParleyProtocol
import ParleyRules
import Platform

struct WorkoutsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "workouts",
        abstract: "Measure workouts and the boards of groups.",
        discussion: """
            Fills a gateway's database with groups whose members have done something every day. Measures how long the gateway \
            takes when the week of all groups ends, how long messages take meanwhile, how long it takes from a workout to the \
            board of a member who listens, with and without messages beside it, and workouts and boards one by one and in a \
            closed loop. It starts everything itself, in a temporary directory, and leaves nothing behind.
            """)

    @OptionGroup var places: InstallationOptions
    @Option(help: "Groups.") var groups = 10_000
    @Option(help: "Members of a group.") var members = 10
    @Option(help: "Days on which each has done something.") var days = 365
    @Option(help: "Groups of which some members are connected.") var connected = 120

    @Option(help: "Members who are connected of each of them; the last one listens, the others log.")
    var devices = 8

    @Option(help: "Workouts a second at which latency is measured; fewer than there are connected groups.")
    var rate = 100

    @Option(help: "Messages a second beside them.") var messages = 200
    @Option(help: ArgumentHelp("How long each is measured.", valueName: "s")) var seconds = 6.0

    private static let mostDevices = 990

    func validate() throws {
        guard groups >= 1, days >= 0, (1...groups).contains(connected), (2...max(2, members)).contains(devices),
            seconds > 0, messages >= 0
        else { throw ValidationError("a number is out of range") }
        guard connected * devices <= Self.mostDevices else {
            throw ValidationError("more than \(Self.mostDevices) devices: the broker's template has no room for them")
        }
        guard (1..<max(2, connected)).contains(rate) else { throw ValidationError("--rate is out of range") }
    }

    func run() throws {
        signal(SIGPIPE, SIG_IGN)
        let installation = places.installation
        let interruption = try Interruption()
        let plan = TrainingGroups(
            groups: groups, members: members, days: days, devices: devices, connected: connected)
        var trained: [TrainingGroups.Group] = []
        report("filling a database: \(groups) groups of \(members) with \(days) days")
        let site = try Site(installation) { trained = try plan.fill($0, $1, stop: interruption.stop) }
        defer { site.close() }
        let begun = Timestamp.systemNow
        let gateway = try site.startGateway()
        defer { gateway.end(grace: Site.grace) }
        let fleet = try TrainingFleet(trained, port: site.port, stop: interruption.stop)
        var table = Table(["what", "figure"], names: 1)

        try measureTurn(fleet, since: begun, &table)
        try measureNotifications(fleet, since: begun, &table)
        report("messages alone")
        let alone = try fleet.latencies(workouts: 0, messages: messages, seconds: seconds)
        add("message at \(messages) a second, alone", alone, &table)
        try measureBoards(fleet, &table)
        for work in TrainingFleet.Work.allCases {
            try measure(work, fleet, gateway, &table)
        }
        let memory = ProcessUsage.residentMegabytes(gateway.identifier).most
        table.rows.append(["memory of the gateway, at most", "\(memory.formatted(0)) MB"])
        places.machine.print(table)
        guard fleet.refusals.isEmpty else {
            report("\(fleet.refusals.count) refusals; the first: \(fleet.refusals[0])")
            throw ExitCode(1)
        }
    }

    /// The week of all groups has ended: the gateway ends it since it has started.
    private func measureTurn(_ fleet: TrainingFleet, since begun: Timestamp, _ table: inout Table) throws {
        report("the week of all groups ends")
        let week = WeekPeriod(at: .systemNow, in: .utc).week
        var (asked, ended): (Timestamp, Timestamp?) = (begun, nil)
        let latencies = try fleet.latencies(workouts: 0, messages: messages, seconds: 180) {
            let now = Timestamp.systemNow
            guard !fleet.hasBoard(of: week) else {
                ended = ended ?? now
                return true
            }
            if asked.duration(to: now) > .milliseconds(50) {
                asked = now
                fleet.askLast()
            }
            return false
        }
        fleet.forgetMissingBoards()
        let time = ended.map { "\((Double($0.milliseconds - begun.milliseconds) / 1000).formatted(2)) s" }
        table.rows.append(["the week's turn of all groups, with the start", time ?? "not over in time"])
        add("message at \(messages) a second, meanwhile", latencies, &table)
    }

    /// The members of all groups are notified of the end of their week.
    private func measureNotifications(
        _ fleet: TrainingFleet, since begun: Timestamp, _ table: inout Table
    ) throws {
        report("members are notified")
        let latencies = try fleet.latencies(workouts: 0, messages: messages, seconds: 600) { fleet.isLastNotified }
        let time = Double(Timestamp.systemNow.milliseconds - begun.milliseconds) / 1000
        let isOver = fleet.isLastNotified
        table.rows.append([
            "until all members are notified of it", isOver ? "\(time.formatted(0)) s" : "not over in time",
        ])
        add("message at \(messages) a second, meanwhile", latencies, &table)
    }

    private func measureBoards(_ fleet: TrainingFleet, _ table: inout Table) throws {
        report("workouts to boards")
        let plain = try fleet.latencies(workouts: rate, messages: 0, seconds: seconds)
        add("workout to board at \(rate) a second", plain.boards, &table)
        let both = try fleet.latencies(workouts: rate, messages: messages, seconds: seconds)
        add("workout to board at \(rate) a second, with \(messages) messages a second", both.boards, &table)
        add("message at \(messages) a second, with \(rate) workouts a second", both, &table)
    }

    private func measure(
        _ work: TrainingFleet.Work, _ fleet: TrainingFleet, _ gateway: ChildProcess, _ table: inout Table
    ) throws {
        report("\(work.rawValue), one by one and in a closed loop")
        let count = 1000
        var before = ProcessUsage.cpuSeconds(gateway.identifier)
        let times = try fleet.alone(work, count: count)
        let cpu = (ProcessUsage.cpuSeconds(gateway.identifier) - before) * 1000 / Double(count)
        add("\(work.rawValue) one by one, from request to reply", times, &table)
        table.rows.append(["\(work.rawValue) one by one, CPU of the gateway", "\(cpu.formatted(2)) ms"])
        var used = 0.0
        let (replies, time) = try fleet.throughput(work, seconds: seconds) { edge in
            let now = ProcessUsage.cpuSeconds(gateway.identifier)
            switch edge {
            case .begin: before = now
            case .end: used = now - before
            }
        }
        let rate = "\((Double(replies) / time).formatted(0)) a second"
        table.rows.append(["\(work.rawValue) in a closed loop", rate])
        table.rows.append([
            "\(work.rawValue) in a closed loop, CPU of the gateway",
            "\((used * 1e6 / Double(max(1, replies))).formatted(0)) µs",
        ])
    }

    private func add(_ name: String, _ latencies: TrainingFleet.Latencies, _ table: inout Table) {
        add(latencies.lost == 0 ? name : "\(name), \(latencies.lost) LOST", latencies.messages, &table)
    }

    private func add(_ name: String, _ times: [Int64], _ table: inout Table) {
        let figures = [0.5, 0.99].map { share in
            times.percentile(share).map { (Double($0) / 1e6).formatted(2) } ?? "-"
        }
        table.rows.append(["\(name): p50, p99 of \(times.count)", figures.joined(separator: ", ") + " ms"])
    }
}
