import ParleyProtocol
import PrivateFiles

/// What is kept on disk for one device: `DIR/devices/UID/DID/`, readable by its owner alone.
public struct DeviceDirectory: Sendable {
    public let device: DeviceAddress
    /// Without a slash at its end.
    public let path: String
    private let dataDirectory: String

    private static let fileName = DataDirectoryLayout.credentials
    static let keysName = "keys"
    static let peersName = "peers"
    private static let maximumBytes = 16 * 1024

    /// - Parameter dataDirectory: `DIR`. It must exist before anything is stored.
    public init(of device: DeviceAddress, in dataDirectory: String) {
        self.device = device
        self.dataDirectory = dataDirectory
        path = "\(dataDirectory)/\(DataDirectoryLayout.directory(of: device))"
    }

    public var credentialsPath: String { "\(path)/\(DeviceDirectory.fileName)" }
    /// Where ``FileKeyStore`` keeps the device's own keys.
    public var keysPath: String { "\(path)/\(DeviceDirectory.keysName)" }
    /// What is known of others' keys.
    public var peersPath: String { "\(path)/\(DeviceDirectory.peersName)" }

    /// Messages, conversations and what waits to be sent.
    var databasePath: String { "\(path)/messages.db" }

    /// Reads the credentials.
    ///
    /// - Throws: ``CredentialsError``: also for a file that others may read, because whoever has read it can sign in.
    public func readCredentials() throws(CredentialsError) -> DeviceCredentials {
        try readStoredCredentials().credentials
    }

    /// Reads the credentials, and since when they are kept, if that was noted; see ``readCredentials()``.
    ///
    /// What a process that was killed while it wrote them has left beside them is removed.
    public func readStoredCredentials() throws(CredentialsError) -> StoredCredentials {
        if Files.hasUnfinished(DeviceDirectory.fileName, in: path) {
            // Somebody may be writing at this moment: under the lock nobody does. What stays does no harm.
            try? locked { lock throws(CredentialsError) in
                Files.removeUnfinished(DeviceDirectory.fileName, in: path, holding: lock)
            }
        }
        return try read()
    }

    private func read() throws(CredentialsError) -> StoredCredentials {
        let file: FileContents
        do throws(FileError) {
            file = try Files.read(credentialsPath, maximum: DeviceDirectory.maximumBytes)
        } catch {
            throw error.isMissing ? .missing(path: credentialsPath) : .file(error)
        }
        guard !file.isOpenToOthers else { throw .readableByOthers(path: credentialsPath) }
        guard let credentials = DeviceCredentials(json: file.bytes) else { throw .malformed(path: credentialsPath) }
        guard credentials.belong(to: device) else { throw .ofAnotherDevice(path: credentialsPath) }
        return StoredCredentials(credentials, storedAt: DeviceCredentials.storedAt(in: file.bytes))
    }

    /// Writes the credentials, in place of older ones and never half: directories 0700, file 0600.
    public func store(_ credentials: DeviceCredentials) throws(CredentialsError) {
        try store(credentials, at: .now)
    }

    package func store(_ credentials: DeviceCredentials, at now: Timestamp) throws(CredentialsError) {
        try locked { lock throws(CredentialsError) in try write(credentials, at: now, holding: lock) }
    }

    /// Writes renewed credentials in place of those that they come from, as ``store(_:)`` does.
    ///
    /// - Returns: `false` if others are kept by now: those are newer, and stay.
    public func replace(
        _ former: DeviceCredentials, with renewed: DeviceCredentials
    ) throws(CredentialsError) -> Bool {
        try replace(former, with: renewed, at: .now)
    }

    package func replace(
        _ former: DeviceCredentials, with renewed: DeviceCredentials, at now: Timestamp
    ) throws(CredentialsError) -> Bool {
        try locked { lock throws(CredentialsError) in
            let kept = try read().credentials
            if kept == renewed { return true }
            guard kept == former else { return false }
            try write(renewed, at: now, holding: lock)
            return true
        }
    }

    /// Whoever writes the credentials holds this lock: what a renewal read must still be there when it writes.
    private func locked<Result>(
        _ body: (FileLock) throws(CredentialsError) -> Result
    ) throws(CredentialsError) -> Result {
        let lock: FileLock
        do throws(FileError) {
            try make()
            lock = try FileLock(waitingFor: credentialsPath + ".lock")
        } catch {
            throw .file(error)
        }
        defer { lock.release() }
        return try body(lock)
    }

    private func write(
        _ credentials: DeviceCredentials, at now: Timestamp, holding lock: FileLock
    ) throws(CredentialsError) {
        do throws(FileError) {
            try Files.replace(
                DeviceDirectory.fileName, in: path, with: credentials.json(storedAt: now) + [UInt8(ascii: "\n")],
                holding: lock)
        } catch {
            throw .file(error)
        }
    }

    /// Writes files that say in another form how the device signs in, by the credentials that are kept: those of which
    /// `contents` gives something else than they hold. A process that was killed between a renewal and this leaves the
    /// old ones, which the next one corrects.
    package func storeCopies(
        _ contents: (DeviceCredentials) -> [(name: String, bytes: [UInt8])]
    ) throws(CredentialsError) {
        try locked { lock throws(CredentialsError) in
            for (name, bytes) in contents(try read().credentials) {
                do throws(FileError) {
                    let old = try? Files.read("\(path)/\(name)", maximum: DeviceDirectory.maximumBytes)
                    if old?.bytes != bytes { try Files.replace(name, in: path, with: bytes, holding: lock) }
                } catch {
                    throw .file(error)
                }
            }
        }
    }

    /// Makes the directory and those above it, in a data directory that exists: 0700. Those that exist are left.
    package func make() throws(FileError) {
        let devices = "\(dataDirectory)/\(DataDirectoryLayout.devices)"
        for directory in [devices, "\(devices)/\(device.user)", path] { try Files.makePrivateDirectory(directory) }
    }

}

/// Why there are no credentials to use.
public enum CredentialsError: Error, Sendable, CustomStringConvertible {
    case missing(path: String)
    case readableByOthers(path: String)
    case malformed(path: String)
    case ofAnotherDevice(path: String)
    case file(FileError)

    public var description: String {
        switch self {
        case .missing(let path): "there are no credentials in \(path)"
        case .readableByOthers(let path):
            "\(path) can be read by others than its owner, who could sign in with it; correct it with: chmod 600 \(path)"
        case .malformed(let path): "\(path) does not hold credentials"
        case .ofAnotherDevice(let path): "\(path) holds the credentials of another device than its place says"
        case .file(let error): error.description
        }
    }
}
