import Dispatch
import Foundation
import GatewaySite
import Launch
import ParleyBridge
import Platform
import Synchronization

/// Messages alone and beside backups, by turns.
struct BackupMeasurement {
    let fleet: Fleet
    let directory: DataDirectory
    let perSecond: Int
    let seconds: Double
    private(set) var messages = MessagesBeside()
    /// How long each took, in seconds.
    private(set) var backups: [Double] = []

    init(fleet: Fleet, directory: DataDirectory, perSecond: Int, seconds: Double) {
        (self.fleet, self.directory) = (fleet, directory)
        (self.perSecond, self.seconds) = (perSecond, seconds)
    }

    mutating func measure(_ round: Int, of rounds: Int) throws {
        messages.add(alone: try run())
        try measureBeside()
        report(
            "turn \(round) of \(rounds): \(messages.p99(beside: "backups")); the last took "
                + "\((backups.last ?? 0).formatted(1)) s")
    }

    private mutating func run() throws -> LoadOutcome {
        let plan = LoadPlan(pace: .open(perSecond: perSecond), form: .event, warmUp: 1, measured: seconds)
        return try fleet.run(plan) { _ in }
    }

    /// Measures messages while one backup after the other is made.
    private mutating func measureBeside() throws {
        let (ending, ended) = (StopFlag(), DispatchSemaphore(value: 0))
        let result = Ending()
        let directory = directory
        try LoopThread.detach(name: "backups") {
            let times = Result<[Double], any Error> {
                var times: [Double] = []
                repeat { times.append(try BackupMeasurement.backUp(directory)) } while !ending.isRaised
                return times
            }
            result.times.withLock { $0 = times }
            ended.signal()
        }
        let outcome = Result { try run() }
        ending.raise()
        ended.wait()
        if let times = result.times.withLock({ $0 }) { backups += try times.get() }
        messages.add(beside: try outcome.get())
    }

    private final class Ending: Sendable {
        let times = Mutex<Result<[Double], any Error>?>(nil)
    }

    /// With the priorities of parley-backup.service.
    private static func backUp(_ directory: DataDirectory) throws -> Double {
        let begun = MonotonicTime.now
        let errors = "\(directory.path)/backup.log"
        let child = try ChildProcess(
            "/usr/bin/chrt",
            [
                "--idle", "0", "/usr/bin/ionice", "-c", "3", Programs.path("parleyd"), "backup", "--data",
                directory.path, "--into", "\(directory.path)/backups", "--keep", "1",
            ], errors: errors)
        guard child.waitUntilEnded() == 0 else {
            throw LoadError.rejected((try? String(contentsOfFile: errors, encoding: .utf8)) ?? "a backup")
        }
        return Double(MonotonicTime.now - begun) / 1e9
    }
}
