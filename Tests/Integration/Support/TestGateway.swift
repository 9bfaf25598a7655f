import Foundation
import Launch
import ParleyProtocol
import Synchronization
import TestSupport

@testable import ParleyStore

/// A whole gateway of a test's own: one machine, or, where the test run asks for it, two cells (`SiteForm`). What tests
/// do to its programs and settings they do to those of all cells.
final class TestGateway: Sendable {
    /// The files of the first are those that tests look into.
    let machines: [TestMachine]
    /// What devices come by, where it is there.
    private let haproxy: HAProxy?
    private let store: SiteDatabase?
    private let names = Atomic<Int>(0)
    private let turns = Atomic<Int>(0)

    /// Limits so high that tests which share a gateway do not meet them.
    static let roomy: JSON = [
        "request_burst": 1_000_000, "requests_per_second": 1_000_000, "first_message_burst": 1_000_000,
        "key_fetches_per_hour": 1_000_000, "stranger_lookups_per_hour": 1_000_000, "publish_burst": 1_000_000,
        "publishes_per_second": 1_000_000,
        "publish_burst_bytes": 1_073_741_824,
        "publish_bytes_per_second": 1_073_741_824, "subscribe_burst": 1_000_000,
        "connections_per_device": 1000, "connections_per_user": 1000, "connection_names_per_day": 1000,
        "reports_per_hour": 1_000_000, "stored_bytes_per_day": 1_099_511_627_776,
    ]

    /// Makes the directories and starts all; returns when devices can sign in.
    ///
    /// - Parameters:
    ///   - settings: what stands in `parleyd.json`.
    ///   - directory: an empty one to use, if not a new one in the system's place for such.
    ///   - arguments: of parleyd, beside the data directory. With a store among them it is one cell.
    ///   - start: `false` makes the directory and starts nothing.
    init(
        settings: JSON = roomy, directory: String? = nil, arguments: [String] = [], start: Bool = true
    ) throws {
        if SiteForm.current.hasCells, !arguments.contains("--store") {
            let directory = directory ?? TestMachine.newDirectory()
            let store = try SiteDatabase()
            self.store = store
            let settings = settings.withMails(in: directory)
            machines = try ["cell1", "cell2"].enumerated().map { index, cell in
                try TestMachine(
                    settings: settings, directory: index == 0 ? directory : nil,
                    arguments: arguments + ["--store", store.uri, "--cell", cell])
            }
            for machine in machines.dropFirst() { try machine.copyKeys(from: machines[0]) }
            haproxy = SiteForm.current == .haproxy ? try HAProxy(in: machines[0].directory) : nil
        } else {
            machines = [try TestMachine(settings: settings, directory: directory, arguments: arguments)]
            (haproxy, store) = (nil, nil)
        }
        guard start else { return }
        try startBroker()
        try startParleyd()
    }

    var directory: String { machines[0].directory }
    var arguments: [String] { machines[0].arguments }
    /// Where the next device connects: to each cell in turn, if it does not come by HAProxy.
    var mqttPort: UInt16 {
        haproxy?.port ?? machines[turns.wrappingAdd(1, ordering: .relaxed).newValue % machines.count].mqttPort
    }
    /// Where a device connects whose session the broker keeps: always to the same cell.
    var portOfSessions: UInt16 { haproxy?.port ?? machines[0].mqttPort }
    var database: String { directory + "/parley.db" }
    var brokerSocket: String { machines[0].brokerSocket }
    /// All that parleyd has written on standard error.
    var log: String { machines.map { $0.files("parleyd").errors }.joined() }
    var brokerLog: String { machines.map { $0.files("mosquitto").errors }.joined() }

    /// A name that no other test on this gateway has.
    func uniqueName(_ prefix: String = "user") -> String {
        "\(prefix)\(names.wrappingAdd(1, ordering: .relaxed).newValue)"
    }
}

// MARK: Files

extension TestGateway {
    /// The directory of a device of parleyd's own, whose name ends with the cell's number if it is one.
    func directory(of device: DeviceAddress) throws -> String {
        let user = "\(directory)/devices/\(device.user)"
        let names = try FileManager.default.contentsOfDirectory(atPath: user).sorted()
        return "\(user)/\(names.last { $0.hasPrefix("\(device.device)") } ?? "\(device.device)")"
    }

    /// Writes a file that settings name into the data directory.
    func write(_ bytes: [UInt8], to file: String) throws {
        for machine in machines { try Data(bytes).write(to: URL(filePath: "\(machine.directory)/\(file)")) }
    }

    /// Replaces the settings; they hold from the next start of parleyd.
    func write(_ settings: JSON) throws {
        for machine in machines { try machine.write(settings.withMails(in: directory)) }
    }

    /// Makes the tokens of another gateway good at this one.
    func copyKeys(from other: TestGateway) throws {
        for machine in machines { try machine.copyKeys(from: other.machines[0]) }
    }

    /// Runs parleyd to its end.
    func run(_ arguments: [String]) throws -> (status: Int32, output: String, errors: String) {
        try ServiceFiles("run-\(uniqueName(""))", in: directory).run(Programs.path("parleyd"), arguments)
    }

    /// Changes something in the database while parleyd does not run.
    func changeDatabase(_ statement: String) throws {
        if let store { return try store.change(statement) }
        try Store(path: database).write { try $0.database.run(statement) }
    }

    /// Sends whoever comes by the data directory next to where the next device connects.
    func leadOn() throws { if machines.count > 1 { try machines[0].lead(to: mqttPort) } }
}

// MARK: Processes

extension TestGateway {
    /// Starts the broker and returns when its last listener answers.
    func startBroker() throws {
        for machine in machines { try machine.startBroker() }
        try haproxy?.start(before: machines.map(\.mqttPort))
        try leadOn()
    }

    /// Starts parleyd and returns when it says that it is ready.
    func startParleyd() throws {
        // One after the other: the numbers of cells go by the order in which they come.
        for machine in machines {
            try machine.launchParleyd()
            try machine.awaitReady()
        }
        try haproxy?.awaitServers()
    }

    /// Starts parleyd without waiting for anything.
    func launchParleyd() throws { for machine in machines { try machine.launchParleyd() } }

    /// Whether the parleyd that was launched last has said that devices can sign in.
    var isReady: Bool { machines.allSatisfy { $0.files("parleyd").isReady } }

    func awaitReady() throws {
        for machine in machines { try machine.awaitReady() }
        try haproxy?.awaitServers()
    }

    var isParleydRunning: Bool { machines.allSatisfy { $0.parleyd?.isRunning ?? false } }
    var parleyd: ChildProcess? { machines[0].parleyd }
    var broker: ChildProcess? { machines[0].broker }

    /// Has parleyd stand still, until ``resumeParleyd()``.
    func pauseParleyd() { for machine in machines { machine.parleyd?.send(SIGSTOP) } }

    func resumeParleyd() { for machine in machines { machine.parleyd?.send(SIGCONT) } }

    /// Ends parleyd by a signal and waits for its end.
    ///
    /// - Returns: its exit status, or 128 and the signal's number.
    @discardableResult
    func endParleyd(_ signal: Int32 = SIGTERM) -> Int32 { end(machines.map(\.parleyd), signal) }

    @discardableResult
    func endBroker(_ signal: Int32 = SIGTERM) -> Int32 { end(machines.map(\.broker), signal) }

    /// - Returns: the first status that is not 0.
    private func end(_ programs: [ChildProcess?], _ signal: Int32) -> Int32 {
        for program in programs { program?.send(signal) }
        return programs.map { $0?.end(with: signal) ?? -1 }.first { $0 != 0 } ?? 0
    }
}

extension JSON {
    /// Settings by which the mails of all cells, whichever sends them, become files in one directory.
    fileprivate func withMails(in directory: String) -> JSON {
        guard let sink = self["mail_sink"].text, !sink.isEmpty, !sink.hasPrefix("/") else { return self }
        return with(["mail_sink": .string("\(directory)/\(sink)")])
    }
}
