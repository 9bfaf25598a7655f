import ParleyProtocol
import PrivateFiles

/// The directory of one device, readable by its owner only: `DIR/devices/UID/DID/`.
public struct DeviceDirectory: Sendable {
    public let device: DeviceAddress
    /// Without a slash at its end.
    public let path: String
    private let dataDirectory: String

    private static let fileName = DataDirectoryLayout.credentials
    static let keysName = "keys"
    static let peersName = "peers"
    private static let maximumBytes = 16 * 1024

    /// - Parameter dataDirectory: `DIR`, which must exist.
    public init(of device: DeviceAddress, in dataDirectory: String) {
        self.device = device
        self.dataDirectory = dataDirectory
        path = "\(dataDirectory)/\(DataDirectoryLayout.directory(of: device))"
    }

    public var credentialsPath: String { "\(path)/\(DeviceDirectory.fileName)" }
    /// The device's own keys: ``FileKeyStore``.
    public var keysPath: String { "\(path)/\(DeviceDirectory.keysName)" }
    /// Other users' keys.
    public var peersPath: String { "\(path)/\(DeviceDirectory.peersName)" }

    /// Messages, conversations and queues.
    var databasePath: String { "\(path)/messages.db" }

    /// Reads the credentials.
    ///
    /// - Throws: ``CredentialsError``, also if others may read the file: whoever has read it can sign in.
    public func readCredentials() throws(CredentialsError) -> DeviceCredentials {
        try readStoredCredentials().credentials
    }

    /// Reads the credentials and when they were stored, as ``readCredentials()`` does.
    ///
    /// Removes the unfinished file of a killed process.
    public func readStoredCredentials() throws(CredentialsError) -> StoredCredentials {
        if Files.hasUnfinished(DeviceDirectory.fileName, in: path) {
            // Only under the lock is it certain that no process is writing it. A file that stays does no harm.
            try? locked { lock throws(CredentialsError) in
                Files.removeUnfinished(DeviceDirectory.fileName, in: path, holding: lock)
            }
        }
        return try read()
    }

    /// Removes the credentials, and before them their copies: the device signs in no more. Its keys and messages stay.
    package func removeCredentials(copies: [String]) throws(CredentialsError) {
        try locked { lock throws(CredentialsError) in
            do throws(FileError) {
                for name in copies + [DeviceDirectory.fileName] { try Files.remove(name, in: path) }
            } catch {
                throw .file(error)
            }
            Files.removeUnfinished(DeviceDirectory.fileName, in: path, holding: lock)
        }
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

    /// Replaces the credentials atomically: directories 0700, file 0600.
    public func store(_ credentials: DeviceCredentials) throws(CredentialsError) {
        try store(credentials, at: .now)
    }

    package func store(_ credentials: DeviceCredentials, at now: Timestamp) throws(CredentialsError) {
        try locked { lock throws(CredentialsError) in try write(credentials, at: now, holding: lock) }
    }

    /// Replaces `former` by renewed credentials, as ``store(_:)`` does.
    ///
    /// - Returns: `false` if others are stored by now, which are newer and stay.
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

    /// Every writer of the credentials holds this lock: a renewal checks under it that its old ones are still stored.
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

    /// Writes the credentials in other forms, if those files differ. After a process was killed between a renewal and
    /// this call, the next call corrects them.
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

    /// Makes the directory and its parents (0700), in an existing data directory.
    package func make() throws(FileError) {
        let devices = "\(dataDirectory)/\(DataDirectoryLayout.devices)"
        for directory in [devices, "\(devices)/\(device.user)", path] { try Files.makePrivateDirectory(directory) }
    }

}

/// Why the credentials cannot be used.
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
