import ArgumentParser
import Foundation
import GatewaySite
import Platform

struct CellsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cells",
        abstract: "Kill, stop and cut off cells and their database, and see that nothing that was answered is lost.",
        discussion: """
            Devices talk all the time through HAProxy, repeat what has no reply, and keep a log of their \
            conversations. After each round and in the end, what was answered must be in the database once and in its \
            place, no log may have a hole, and each device must have heard all, in one order. After a kill, a \
            partition or a stop each device must be answered in time.

            The status is 1 if anything was otherwise; with --control, if nothing was.
            """)

    @OptionGroup var places: InstallationOptions

    @Argument(help: "kills, promotions, partitions, stops, removals, doorbell; all of them by default.")
    var trials: [CellTrial] = []

    @Option(help: "How many rounds; 300, 20, 100, 10, 10000 and 1000 by default.")
    var count: Int?

    @Flag(help: "A few rounds of each.")
    var short = false

    @Option(help: "Decides the moments; another one each time by default. How far processes have come no seed decides.")
    var seed: UInt64 = .random(in: 0...999_999_999)

    @Option(help: "How many removals go on at the same time.")
    var lanes = 24

    @Option(help: "How long a device may wait after a kill, a partition or a stop, in milliseconds.")
    var servedWithin = 3000

    @Option(help: "How long a message may take to another cell without notifications, in milliseconds.")
    var heardWithin = 500

    @Option(parsing: .upToNextOption, help: "In place of trials, faults that must be found: \(controlNames).")
    var control: [CellControl] = []

    private static let controlNames = CellControl.allCases.map(\.rawValue).joined(separator: ", ")

    func validate() throws {
        guard count.map({ (1...1_000_000).contains($0) }) ?? true else {
            throw ValidationError("--count takes 1 to 1000000")
        }
        guard (1...200).contains(lanes) else { throw ValidationError("--lanes takes 1 to 200") }
        guard (1...600_000).contains(servedWithin) else { throw ValidationError("--served-within takes 1 to 600000") }
        guard (1...600_000).contains(heardWithin) else { throw ValidationError("--heard-within takes 1 to 600000") }
        guard control.isEmpty || trials.isEmpty else { throw ValidationError("--control goes without trials") }
    }

    func run() throws {
        signal(SIGPIPE, SIG_IGN)
        let session = CellSession(
            installation: places.installation, seed: seed, lanes: lanes, limit: Int64(servedWithin) * 1_000_000,
            hearingLimit: Int64(heardWithin) * 1_000_000, stop: try Interruption().stop)
        report("seed \(seed)")
        guard control.isEmpty else { return try runControls(session) }
        var hasPassed = true
        for trial in trials.isEmpty ? CellTrial.allCases : trials {
            let rounds = count ?? (short ? trial.shortCount : trial.usualCount)
            report("\(trial.rawValue): \(rounds) rounds")
            let outcome = try session.run(trial, rounds: rounds)
            places.machine.print(outcome.table)
            for example in outcome.examples { report(example) }
            report("\(trial.rawValue): \(outcome.hasPassed ? "as it should be" : "NOT as it should be")")
            hasPassed = hasPassed && outcome.hasPassed
        }
        print("seed \(seed)")
        guard hasPassed else { throw ExitCode(1) }
    }

    private func runControls(_ session: CellSession) throws {
        var areFound = true
        for fault in control {
            let outcome = try session.run(fault)
            places.machine.print(outcome.table)
            for example in outcome.examples.prefix(3) { report(example) }
            report("\(fault.rawValue): \(outcome.hasPassed ? "found" : "NOT found")")
            areFound = areFound && outcome.hasPassed
        }
        print("seed \(seed)")
        guard areFound else { throw ExitCode(1) }
    }
}
