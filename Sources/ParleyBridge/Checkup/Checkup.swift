import Foundation
import ParleyProtocol
import ParleyStore
import Platform
import PrivateFiles

/// The checks of `parleyd doctor`. They change nothing, whether the gateway runs or not.
package struct Checkup {
    let directory: DataDirectory
    let isThorough: Bool
    /// Whether the database is a file of the directory.
    let isFile: Bool
    let now: Timestamp

    package init(
        _ directory: DataDirectory, isThorough: Bool = false, isFile: Bool = true, now: Timestamp = .systemNow
    ) {
        self.directory = directory
        self.isThorough = isThorough
        self.isFile = isFile
        self.now = now
    }

    package func run() -> [CheckResult] {
        guard Files.isDirectory(directory.path) else {
            return [
                CheckResult(
                    "files", .wrong,
                    "there is no directory \(directory.path): parleyd init makes it, or name another by --data")
            ]
        }
        let isRunning = (try? FileLock.isHeld("\(directory.path)/\(DataDirectoryLayout.lock)")) ?? false
        let settings = try? directory.readSettings()
        var results = checkSettings() + checkBrokerConfiguration(settings) + checkFiles() + [checkKeys()]
        results += checkCredentials() + [checkDisk()]
        if isFile { results += checkDatabases(isRunning: isRunning) }
        results.append(
            isRunning
                ? CheckResult("gateway", .ok, "parleyd runs")
                : CheckResult(
                    "gateway", .wrong, "parleyd does not run: start it, and look into its log if it ends again"))
        results.append(checkBroker())
        return results + checkDoors() + checkPushServices(settings) + checkCertificate() + checkBackups()
    }

    // MARK: Configuration

    private func checkSettings() -> [CheckResult] {
        do {
            let settings = try directory.readSettings()
            let warnings = try directory.checkPushes(settings) + directory.checkAccounts(settings)
            return CheckResult.all("settings", wrong: [], warnings: warnings, ok: "no mistakes")
        } catch {
            return "\(error)".split(separator: "\n").map { CheckResult("settings", .wrong, String($0)) }
        }
    }

    private func checkBrokerConfiguration(_ settings: Settings?) -> [CheckResult] {
        let check = BrokerConfigurationCheck(directory, settings ?? Settings(), broker: .installed())
        return CheckResult.all(
            "broker's configuration",
            wrong: check.problems.map { "\(directory.brokerConfiguration): \($0)" },
            warnings: check.warnings.map { "\(directory.brokerConfiguration): \($0)" }, ok: "what Parley needs is there"
        )
    }

    // MARK: Room and time

    /// As much as an upgrade's copy takes, and half a gigabyte in any case.
    private func checkDisk() -> CheckResult {
        do throws(FileError) {
            let free = try Files.freeBytes(at: directory.path)
            let least = max(512 << 20, Files.size(of: directory.database) ?? 0)
            let amount = "\(free >> 20) MiB are free where \(directory.path) lies"
            return free < least
                ? CheckResult(
                    "disk", .wrong,
                    "only \(amount): make room for \(least >> 20) MiB; on a full disk every write is refused")
                : CheckResult("disk", .ok, amount)
        } catch {
            return CheckResult("disk", .wrong, "\(error)")
        }
    }

    private func checkDatabases(isRunning: Bool) -> [CheckResult] {
        let main = check(directory.database, .main, isRunning: isRunning)
        guard (try? Files.identity(of: directory.pushDatabase)) ?? nil != nil else { return main }
        return main + check(directory.pushDatabase, .pushes, isRunning: isRunning)
    }

    private func check(_ path: String, _ kind: DatabaseInspection.Kind, isRunning: Bool) -> [CheckResult] {
        let (name, advice): (String, String) =
            switch kind {
            case .main: ("database", "put back a backup: parleyd restore")
            case .pushes:
                ("push database", "move it away while parleyd is stopped: notifications on their way are lost, no more")
            }
        do {
            guard try Files.isRegularFile(path) else {
                return [CheckResult(name, .wrong, "\(path) is no file: move it away, and \(advice)")]
            }
            let log = Files.size(of: path + "-wal") ?? 0
            let found = try DatabaseInspection(
                of: path, kind, isLive: isRunning, hasLog: log > 0, isThorough: isThorough)
            guard found.faults.isEmpty else {
                return [CheckResult(name, .wrong, "\(path) is damaged (\(found.faults[0].singleLine)): \(advice)")]
            }
            let state = "\(path) is whole, schema \(found.schema)"
            let results = [
                found.isOlder
                    ? CheckResult(name, .warning, "\(state), which the next start of this version brings up to date")
                    : CheckResult(name, .ok, state)
            ]
            guard case .main = kind else { return results }
            return results + [checkClock(lastTime: found.lastTime)]
        } catch let error as FileError where error.isMissing {
            return [CheckResult(name, .warning, "there is no \(path) yet: the first start makes it")]
        } catch {
            return [CheckResult(name, .wrong, "\("\(error)".singleLine): \(advice)")]
        }
    }

    /// Against what the database remembers: its times are the gateway's, which follow the machine's.
    private func checkClock(lastTime: Timestamp?) -> CheckResult {
        guard let lastTime, now.duration(to: lastTime) > .seconds(60) else {
            return CheckResult("clock", .ok, "it is \(now), and nothing in the database is of later")
        }
        return CheckResult(
            "clock", .wrong,
            "the machine's time is \(now), and the gateway has written at \(lastTime): set the machine's time right")
    }
}

extension String {
    /// Bounded, and without line breaks.
    var singleLine: String { String(map { $0.isNewline ? " " : $0 }.prefix(300)) }
}
