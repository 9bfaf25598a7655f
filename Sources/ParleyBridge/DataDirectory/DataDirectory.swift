import Foundation
import ParleyProtocol
import ParleyPush
import Platform
import PrivateFiles
import Sodium

/// The directory of all files of a gateway. Readable by its owner alone.
package struct DataDirectory: Sendable {
    package let path: String

    package init(path: String) {
        self.path = URL(fileURLWithPath: path).standardizedFileURL.path
    }

    package var database: String { path + "/parley.db" }
    /// The database of pushes.
    package var pushDatabase: String { path + "/push.db" }
    package var settings: String { path + "/" + DataDirectoryLayout.settings }
    package var brokerConfiguration: String { path + "/mosquitto.conf" }
    package var brokerSocket: String { path + "/" + DataDirectoryLayout.brokerSocket }
    package var publicKey: String { path + "/keys/signing.pub" }
    package var endpoint: String { path + "/" + DataDirectoryLayout.endpoint }

    /// Where devices connect, as ``endpoint`` has it, such as `mqtt://127.0.0.1:1893`; `nil` if it does not say so.
    package var deviceURL: String? {
        guard let bytes = try? Files.read(endpoint, maximum: 8192).bytes,
            let object = try? JSONObject(parsing: bytes), let host = try? object.text("host", maximum: 253),
            let port = try? object.integer("mqtt_port", in: 1...Int(UInt16.max))
        else { return nil }
        let scheme = (try? object.text("scheme", maximum: 16)) ?? "mqtt"
        return "\(scheme)://\(host.contains(":") ? "[\(host)]" : host):\(port)"
    }
    package var doorConfiguration: String { path + "/haproxy.cfg" }
    private var signingKeyPath: String { path + "/keys/signing.key" }
    private var vapidKeyPath: String { path + "/keys/vapid.key" }

    /// The directory of a device.
    func directory(of address: DeviceAddress) -> String { "\(path)/\(DataDirectoryLayout.directory(of: address))" }

    package func credentials(of address: DeviceAddress) -> String {
        "\(directory(of: address))/\(DataDirectoryLayout.credentials)"
    }

    /// Makes the directories, the key pair and an empty settings file, as far as they are missing.
    ///
    /// - Parameter isForDevelopment: whether new settings let everybody register, with mails that become files.
    package func prepare(isForDevelopment: Bool = false) throws(DataDirectoryError) {
        guard brokerSocket.utf8.count <= DataDirectoryLayout.longestSocketPath else {
            throw DataDirectoryError(
                "the path \(path) is too long: the broker's socket in it must not exceed "
                    + "\(DataDirectoryLayout.longestSocketPath) bytes")
        }
        try adoptExisting()
        for directory in [path, path + "/keys", path + "/run", path + "/" + DataDirectoryLayout.devices] {
            try makeDirectory(directory)
        }
        if !FileManager.default.fileExists(atPath: signingKeyPath) {
            try wrap("make a signing key") {
                let seed = try RandomBytes.make(count: Ed25519.seedLength)
                let key = try Ed25519.SigningKey(seed: try SecretBytes(copying: seed.span))
                try DataDirectory.write(key.publicKey.bytes, to: publicKey)
                try DataDirectory.write(seed, to: signingKeyPath)
            }
        } else if !FileManager.default.fileExists(atPath: publicKey) {
            try DataDirectory.write(try readSigningKey().publicKey.bytes, to: publicKey)
        }
        if !FileManager.default.fileExists(atPath: settings) {
            let text = isForDevelopment ? DataDirectory.developmentSettings : "{}"
            try wrap("write \(settings)") { try DataDirectory.write(Array("\(text)\n".utf8), to: settings) }
        }
    }

    private static let developmentSettings = #"{"registration":"open","mail_sink":"mails"}"#

    /// The name of the user that the directory belongs to, who is to run the broker too.
    package func owner() throws(DataDirectoryError) -> String {
        var owner: String?
        try wrap("find out who owns \(path)") {
            owner = try FileManager.default.attributesOfItem(atPath: path)[.ownerAccountName] as? String
        }
        guard let owner else { throw DataDirectoryError("\(path) belongs to a user who has no name here") }
        return owner
    }

    /// Makes an existing directory private, if it is empty or ours.
    private func adoptExisting() throws(DataDirectoryError) {
        guard FileManager.default.fileExists(atPath: path) else { return }
        try wrap("make \(path) private") {
            let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int ?? 0
            guard mode & 0o077 != 0 else { return }
            let entries = try FileManager.default.contentsOfDirectory(atPath: path)
            guard entries.isEmpty || entries.contains("keys") else {
                throw DataDirectoryError(
                    "\(path) has something else in it and is open to others: name an empty directory, or one that "
                        + "does not exist")
            }
            try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: path)
        }
    }

    /// - Throws: with a line for each mistake.
    package func readSettings() throws(DataDirectoryError) -> Settings {
        guard let data = FileManager.default.contents(atPath: settings) else {
            throw DataDirectoryError("\(settings) cannot be read; `parleyd init` makes it")
        }
        do throws(SettingsError) {
            return try Settings(parsing: Array(data), environment: ProcessInfo.processInfo.environment)
        } catch {
            throw DataDirectoryError(error.problems.map { $0.sentence(in: settings) }.joined(separator: "\n"))
        }
    }

    package func readSigningKey() throws(DataDirectoryError) -> Ed25519.SigningKey {
        guard let data = FileManager.default.contents(atPath: signingKeyPath) else {
            throw DataDirectoryError("\(signingKeyPath) cannot be read; `parleyd init` makes it")
        }
        do {
            let bytes = Array(data)
            return try Ed25519.SigningKey(seed: try SecretBytes(copying: bytes.span))
        } catch {
            throw DataDirectoryError("\(signingKeyPath) is not a signing key of \(Ed25519.seedLength) bytes")
        }
    }

    /// The private key of Web Push, 32 bytes, to which subscriptions are bound.
    ///
    /// - Parameter makesFile: whether a new one is kept where there is none.
    func vapidKey(
        makesFile: Bool, _ make: () throws(PushConfigurationError) -> [UInt8]
    ) throws(DataDirectoryError) -> [UInt8] {
        if FileManager.default.fileExists(atPath: vapidKeyPath) { return try readSecret(vapidKeyPath) }
        let key: [UInt8]
        do throws(PushConfigurationError) {
            key = try make()
        } catch {
            throw DataDirectoryError("\(vapidKeyPath): \(error)")
        }
        if makesFile { try DataDirectory.write(key, to: vapidKeyPath) }
        return key
    }

    /// A file that a setting names, below this directory where its path is relative.
    func read(_ name: String) throws(DataDirectoryError) -> [UInt8] {
        let file = name.hasPrefix("/") ? name : "\(path)/\(name)"
        guard let data = FileManager.default.contents(atPath: file) else {
            throw DataDirectoryError("\(file) cannot be read")
        }
        return Array(data)
    }

    /// A file that a setting names and that holds a secret, of at most 1 MiB.
    ///
    /// - Throws: also where everybody may read it, or others than its owner may write it. A group may read it: of a
    ///   file outside of this directory the owner may be root, and the group the gateway's.
    func readSecret(_ name: String) throws(DataDirectoryError) -> [UInt8] {
        let file = name.hasPrefix("/") ? name : "\(path)/\(name)"
        let contents: FileContents
        do throws(FileError) {
            contents = try Files.read(file, maximum: 1 << 20)
        } catch {
            throw DataDirectoryError("\(file) cannot be read: \(error.reason)")
        }
        guard contents.mode & 0o027 == 0 else {
            throw DataDirectoryError("\(file) holds a secret and is open to others: chmod 600 \(file)")
        }
        return contents.bytes
    }

    /// Puts `bytes` in place of a file in this directory, as ``Files/replace(_:in:with:)`` does.
    static func write(_ bytes: [UInt8], to path: String) throws(DataDirectoryError) {
        let url = URL(fileURLWithPath: path)
        do throws(FileError) {
            try Files.replace(url.lastPathComponent, in: url.deletingLastPathComponent().path, with: bytes)
        } catch {
            throw DataDirectoryError("cannot \(error.call == "rename" ? "replace" : "write") \(path): \(error.reason)")
        }
    }

    func makeDirectory(_ directory: String) throws(DataDirectoryError) {
        try wrap("make the directory \(directory)") {
            try FileManager.default.createDirectory(
                atPath: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        }
    }

    private func wrap<Result>(_ what: String, _ body: () throws -> Result) throws(DataDirectoryError) -> Result {
        do {
            return try body()
        } catch let error as DataDirectoryError {
            throw error
        } catch let error as CocoaError {
            throw DataDirectoryError("cannot \(what): \(error.underlyingReason)")
        } catch {
            throw DataDirectoryError("cannot \(what): \(error)")
        }
    }
}

/// Why the data directory cannot be used, in a sentence for the operator.
package struct DataDirectoryError: Error, CustomStringConvertible {
    package let description: String

    init(_ description: String) { self.description = description }
}

extension CocoaError {
    fileprivate var underlyingReason: String {
        (underlying as? POSIXError).map { SystemError.reason($0.code.rawValue) } ?? localizedDescription
    }
}
