import Foundation
import ParleyProtocol
import ParleyRules
import Platform
import PrivateFiles
import Sodium

extension Checkup {
    private struct Entry {
        let name: String
        var isDirectory = false
        var isNeeded = false
        /// Whether nobody else may read it.
        var isSecret = false
    }

    /// What belongs to a gateway in its directory.
    private static let entries: [Entry] =
        [
            Entry(name: "keys", isDirectory: true, isNeeded: true, isSecret: true),
            Entry(name: "keys/signing.key", isNeeded: true, isSecret: true),
            Entry(name: "keys/signing.pub", isNeeded: true), Entry(name: "keys/vapid.key", isSecret: true),
            Entry(name: "run", isDirectory: true, isNeeded: true),
            Entry(name: "devices", isDirectory: true, isSecret: true),
            Entry(name: "backups", isDirectory: true, isSecret: true), Entry(name: "parleyd.json", isNeeded: true),
            Entry(name: "mosquitto.conf", isNeeded: true), Entry(name: "endpoint.json", isNeeded: true),
            Entry(name: "parley.witness"), Entry(name: "parleyd.lock"), Entry(name: "mosquitto.db"),
        ] + ["parley.db", "parley.db-wal", "push.db", "push.db-wal"].map { Entry(name: $0, isSecret: true) }

    /// Owner, kind and permissions: all belongs to the owner of the directory, and nothing is for others.
    func checkFiles() -> [CheckResult] {
        let root = directory.path
        guard let status = try? Files.permissions(of: root) else {
            return [CheckResult("files", .wrong, "\(root) cannot be looked at: run this as its owner, or as root")]
        }
        let owner = (try? directory.owner()) ?? "user \(status.owner)"
        guard geteuid() == 0 || geteuid() == status.owner else {
            return [CheckResult("files", .wrong, "\(root) belongs to \(owner): run this as \(owner), or as root")]
        }
        var wrong: [String] = []
        if status.isOpenToOthers { wrong.append("\(root) is open to others: chmod 700 \(root)") }
        for entry in Checkup.entries {
            let path = "\(root)/\(entry.name)"
            do throws(FileError) {
                let found = try Files.permissions(of: path)
                if found.isDirectory != entry.isDirectory {
                    wrong.append("\(path) is \(found.isDirectory ? "a directory" : "no directory"): move it away")
                } else if found.owner != status.owner, entry.isSecret || !found.isReadableByAll {
                    wrong.append("\(path) belongs to another user than \(root): chown \(owner) \(path)")
                } else if entry.isSecret, found.isOpenToOthers {
                    wrong.append("\(path) is open to others: chmod \(entry.isDirectory ? "700" : "600") \(path)")
                }
            } catch {
                if !error.isMissing {
                    wrong.append("\(path) cannot be looked at: \(error.reason)")
                } else if entry.isNeeded {
                    wrong.append("there is no \(path): parleyd init makes it anew, or put back your copy of it")
                }
            }
        }
        return CheckResult.all("files", wrong: wrong, ok: "all belong to \(owner), and are open to nobody else")
    }

    func checkKeys() -> CheckResult {
        do {
            let key = try directory.readSigningKey()
            let published = try Files.read(directory.publicKey, maximum: 1024).bytes
            guard key.publicKey.bytes == published else {
                return CheckResult(
                    "keys", .wrong,
                    "\(directory.publicKey) is not of the signing key beside it: remove it, and run parleyd init")
            }
            return CheckResult("keys", .ok, "the signing key and its public half belong together")
        } catch {
            return CheckResult(
                "keys", .wrong, "\(error): without it every device needs a new token; put back your copy of keys/")
        }
    }

    /// Those of the gateway's own devices, which it keeps in the directory.
    func checkCredentials() -> [CheckResult] {
        [DeviceAddress.operatorConsole, .webDoor].flatMap { device -> [CheckResult] in
            let path = "\(directory.path)/\(DataDirectoryLayout.devices)/\(device.user)"
            // Of several gateways each has its own: `console-2`.
            let names = ((try? Files.names(in: path)) ?? []).filter { $0.hasPrefix(device.device.text) }.sorted()
            guard !names.isEmpty else {
                return [
                    CheckResult(
                        "credentials", .wrong,
                        "there are none of \(device) in \(path): parleyd makes them when it starts")
                ]
            }
            return names.prefix(8).map {
                check("\(path)/\($0)/\(DataDirectoryLayout.credentials)", "\(device.user)/\($0)")
            }
        }
    }

    private func check(_ path: String, _ device: String) -> CheckResult {
        let again = "remove the file and restart parleyd, which makes it anew"
        do throws(FileError) {
            let file = try Files.read(path, maximum: 16 * 1024)
            guard !file.isOpenToOthers else {
                return CheckResult(
                    "credentials", .wrong, "\(path) is open to others, who could work the gateway: chmod 600 \(path)")
            }
            guard let credentials = try? DeviceCredentials(json: file.bytes) else {
                return CheckResult("credentials", .wrong, "\(path) holds no credentials: \(again)")
            }
            guard credentials.expiresAt > now else {
                return CheckResult(
                    "credentials", .wrong, "the token of \(device) has ended at \(credentials.expiresAt): \(again)")
            }
            return CheckResult("credentials", .ok, "\(device) until \(credentials.expiresAt)")
        } catch {
            return CheckResult("credentials", .wrong, "\(error): \(again)")
        }
    }

    func checkBackups() -> [CheckResult] {
        let place = "\(directory.path)/\(DataDirectoryLayout.backups)"
        let names = ((try? Files.names(in: place)) ?? []).compactMap(BackupName.init)
        guard let newest = names.max(by: { $0.at < $1.at }) else { return [] }
        let age = newest.at.duration(to: now)
        guard age <= .days(2) else {
            return [
                CheckResult(
                    "backups", .wrong,
                    "the newest in \(place) is \(age.components.seconds / 86_400) days old: look at systemctl status "
                        + "parley-backup.timer parley-backup.service")
            ]
        }
        guard isThorough else { return [CheckResult("backups", .ok, "\(names.count), the newest of \(newest.at)")] }
        do {
            let file = "\(place)/\(newest)"
            guard try BackupDigest.noted(of: file) == BackupDigest.digest(of: file) else {
                return [
                    CheckResult(
                        "backups", .wrong, "\(file) does not fit its digest: make another one, and look at the disk")
                ]
            }
            return [CheckResult("backups", .ok, "\(names.count), and the newest of \(newest.at) fits its digest")]
        } catch {
            return [CheckResult("backups", .wrong, "\(error): make another backup")]
        }
    }

    /// Of the door before the broker.
    func checkCertificate() -> [CheckResult] {
        let configuration = directory.doorConfiguration
        guard let bytes = try? Files.read(configuration, maximum: 1 << 20).bytes,
            let path = CertificateFile.path(in: String(decoding: bytes, as: UTF8.self))
        else { return [] }
        do throws(FileError) {
            let pem = try Files.read(path, maximum: CertificateFile.maximumBytes).bytes
            guard let end = CertificateFile.end(pem: pem) else {
                return [
                    CheckResult(
                        "certificate", .wrong,
                        "\(path) holds no certificate: put the one there that \(configuration) means")
                ]
            }
            let left = now.duration(to: end)
            guard left < .days(14) else { return [CheckResult("certificate", .ok, "\(path) until \(end)")] }
            let verb = left < .zero ? "has ended" : "ends"
            return [CheckResult("certificate", .wrong, "\(path) \(verb) at \(end): renew it, and reload HAProxy")]
        } catch {
            guard error.isMissing else {
                return [
                    CheckResult(
                        "certificate", .warning,
                        "\(path) cannot be read (\(error.reason)): run this as root to see its end")
                ]
            }
            return [
                CheckResult(
                    "certificate", .wrong, "there is no \(path), which \(configuration) names: HAProxy does not start")
            ]
        }
    }
}
