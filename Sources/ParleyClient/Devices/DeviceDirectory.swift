import ParleyProtocol
import PrivateFiles

/// What is kept on disk for one device: `DIR/devices/UID/DID/`, readable by its owner alone.
public struct DeviceDirectory: Sendable {
    public let device: DeviceAddress
    /// Without a slash at its end.
    public let path: String
    private let dataDirectory: String

    private static let fileName = "credentials.json"
    private static let maximumBytes = 16 * 1024

    /// - Parameter dataDirectory: `DIR`. It must exist before anything is stored.
    public init(of device: DeviceAddress, in dataDirectory: String) {
        self.device = device
        self.dataDirectory = dataDirectory
        path = "\(dataDirectory)/devices/\(device.user)/\(device.device)"
    }

    public var credentialsPath: String { "\(path)/\(DeviceDirectory.fileName)" }

    /// Reads the credentials.
    ///
    /// - Throws: ``CredentialsError``: also for a file that others may read, because whoever has read it can sign in.
    public func readCredentials() throws(CredentialsError) -> DeviceCredentials {
        let file: (bytes: [UInt8], mode: UInt32)
        do throws(FileError) {
            file = try Files.read(credentialsPath, maximum: DeviceDirectory.maximumBytes)
        } catch {
            throw error.isMissing ? .missing(path: credentialsPath) : .file(error)
        }
        guard file.mode & 0o077 == 0 else { throw .readableByOthers(path: credentialsPath) }
        guard let credentials = DeviceCredentials(json: file.bytes) else { throw .malformed(path: credentialsPath) }
        guard credentials.belong(to: device) else { throw .ofAnotherDevice(path: credentialsPath) }
        return credentials
    }

    /// Writes the credentials, in place of older ones and never half: directories 0700, file 0600.
    public func store(_ credentials: DeviceCredentials) throws(CredentialsError) {
        try store(credentials.json + [UInt8(ascii: "\n")], as: DeviceDirectory.fileName)
    }

    /// Writes another file of the device's, as ``store(_:)`` does.
    package func store(_ bytes: [UInt8], as name: String) throws(CredentialsError) {
        do throws(FileError) {
            let user = "\(dataDirectory)/devices/\(device.user)"
            for directory in ["\(dataDirectory)/devices", user, path] { try Files.makePrivateDirectory(directory) }
            try Files.replace(name, in: path, with: bytes)
        } catch {
            throw .file(error)
        }
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
