import Foundation
import GatewaySite
import Launch
import ParleyBridge
import ParleyProtocol
import ParleyRules
import ParleyStore
import Platform

/// A gateway with a large database that is restored from a backup while devices have later messages.
final class RestoreTrial {
    struct Plan {
        /// Messages of each device to each conversation: before the backup, after it, and after the restore.
        let before, lost, after: Int
        let statuses: Int
    }

    struct Figures {
        var backup = 0.0
        var restore = 0.0
        var ready = 0.0
        /// Until a device that came back was up to date.
        var syncs: [Double] = []
        /// `parley status`, in milliseconds.
        var statuses: [Double] = []
        /// CPU time of the tool for each, in milliseconds.
        var statusCPU = 0.0
        /// Pages of history, in nanoseconds, ascending.
        var pages: [Int64] = []
        var shown = 0
        var lost = 0
        var records = (backup: 0, database: 0)
    }

    let faults = TalkFaults()
    private(set) var figures = Figures()
    private let site: Site
    private let plan: Plan
    private let pairs: [TalkingPair]
    private let stop: StopFlag
    private let backup: String

    private static let roles: [(TalkingPair.Role, TalkingPair.Role)] = [
        (.stays, .stays), (.stays, .isAway), (.leaves, .isAway), (.leaves, .leaves),
    ]
    static var pairCount: Int { roles.count }

    /// Makes the users of the pairs, two of each.
    static func seats(_ store: Store, _ tokens: TokenIssuer) throws -> [Population.Seat] {
        try store.write { transaction in
            let now = Timestamp.systemNow
            return try (0..<pairCount * 2).map { number in
                let address = try DeviceAddress(named: "talker-\(number)", "phone")
                try transaction.users.insert(
                    address.user, role: .member, displayName: address.user.description, messagePrivacy: .anyone,
                    at: now)
                return try Population.Seat(address, tokens, now: now, transaction)
            }
        }
    }

    init(_ site: Site, _ seats: [Population.Seat], _ plan: Plan, stop: StopFlag) throws {
        (self.site, self.plan, self.stop) = (site, plan, stop)
        backup = "\(site.directory.path)/trial.backup"
        let root = "\(site.directory.path)/talkers"
        try FileManager.default.createDirectory(
            atPath: root, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        let devices = try seats.map { try TalkingDevice($0, port: site.port, in: root) }
        let faults = faults
        pairs = RestoreTrial.roles.enumerated().map { number, roles in
            TalkingPair([(devices[number * 2], roles.0), (devices[number * 2 + 1], roles.1)], faults)
        }
    }

    /// - Returns: the gateway that runs at the end.
    func run(_ gateway: ChildProcess) throws -> ChildProcess {
        report("devices talk")
        let plan = plan
        _ = try each { try await $0.begin(rounds: plan.before) }
        _ = try each { try await $0.check() }
        report("a backup")
        figures.backup = try parleyd("backup")
        _ = try each { await $0.recordBackup() }
        report("devices go on")
        _ = try each { try await $0.goOn(rounds: plan.lost) }
        _ = try each { try await $0.check() }

        gateway.end(with: SIGKILL)
        report("a restore")
        figures.restore = try parleyd("restore")
        _ = try each { try await $0.writeMeanwhile() }
        let begun = MonotonicTime.now
        let restored = try site.startGateway()
        figures.ready = Double(MonotonicTime.now - begun) / 1e9
        report("devices come back")
        figures.syncs = try each { try await $0.comeBack() }.flatMap { $0 }
        figures.lost = try each { await $0.lost }.reduce(0, +)
        _ = try each { try await $0.talk(plan.after) }
        figures.shown = try each { try await $0.check() }.reduce(0, +)
        _ = try each { pair in
            try await pair.readAll()
            _ = try await pair.check()
            try await pair.reopen()
            return try await pair.check()
        }
        return restored
    }

    /// Compares all that was stored before, and runs `parley status`.
    func examine(_ history: StoredHistory, _ gateway: ChildProcess) throws {
        report("parley status")
        let spent = ProcessUsage.cpuSecondsOfEndedChildren()
        for _ in 0..<plan.statuses { figures.statuses.append(try status()) }
        figures.statusCPU = (ProcessUsage.cpuSecondsOfEndedChildren() - spent) * 1000 / Double(plan.statuses)
        report(figures.statuses.map { $0.formatted(0) }.joined(separator: ", ") + " ms")
        report("reading all that is stored")
        figures.pages = try history.readAll(port: site.port, faults, stop: stop).sorted()
        _ = try each { try await $0.end() }
        gateway.end(grace: Site.grace)
        report("comparing the database with the backup")
        let talks = try each { await $0.records }.flatMap { $0 }
        figures.records = try history.compare(site.directory.database, backup: backup, with: talks, faults)
    }

    /// All pairs at the same time.
    private func each<Value: Sendable>(
        _ body: @escaping @Sendable (TalkingPair) async throws -> Value
    ) throws -> [Value] {
        if stop.isRaised { throw LoadError.interrupted }
        let pairs = pairs
        return try awaitTask {
            try await withThrowingTaskGroup(of: Value.self) { group in
                for pair in pairs { group.addTask { try await body(pair) } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
        }
    }

    /// - Returns: how long it took, in seconds.
    private func parleyd(_ command: String) throws -> Double {
        let begun = MonotonicTime.now
        let result = try ServiceFiles(command, in: site.directory.path).run(
            Programs.path("parleyd"), [command, "--data", site.directory.path, backup])
        guard result.status == 0 else { throw LoadError.rejected(result.errors) }
        return Double(MonotonicTime.now - begun) / 1e9
    }

    /// - Returns: how long it took, in milliseconds.
    private func status() throws -> Double {
        let begun = MonotonicTime.now
        let result = try ServiceFiles("status", in: site.directory.path).run(
            Programs.path("parley"), ["--data", site.directory.path, "status"])
        let taken = Double(MonotonicTime.now - begun) / 1e6
        // 1: it answers, and something is wrong, such as too little free disk.
        guard (0...1).contains(result.status) else { throw LoadError.rejected(result.output + result.errors) }
        return taken
    }
}
