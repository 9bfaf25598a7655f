import ParleyProtocol
import PrivateFiles
import Sodium

/// The store of one device's keys.
///
/// The first caller makes them, and no later call makes a new identity, even if several processes call at the same
/// instant or one is killed while it writes. A file that cannot be read is left as it is.
public protocol DeviceKeyStore: Sendable {
    var device: DeviceAddress { get }

    /// The device's keys, which are made if there are none. May take a second of CPU time and block on the disk.
    func keys() throws(KeyStoreError) -> DeviceKeySet

    /// The device's keys; `nil` if there are none. Changes nothing and takes no lock: for a process that only reads,
    /// such as an app's extension.
    func existingKeys() throws(KeyStoreError) -> DeviceKeySet?

    /// Changes the keys, which are made if there are none, under the store's lock.
    ///
    /// - Parameter now: the time of retirement and of certificates.
    func change(_ change: DeviceKeyChange, now: Timestamp) throws(KeyStoreError) -> DeviceKeySet
}

/// Why the file of a device's keys cannot be read, changed or written.
public enum KeyFileError: Error, Hashable, Sendable {
    /// The file could not be read or written.
    case file(FileError)
    /// Users other than the owner may access the file.
    case readableByOthers
    /// The file is too short.
    case truncated
    /// The file is damaged, or holds no keys.
    case corrupt
    /// The file is larger than any key file.
    case tooLarge
    /// Written by a later version of this format.
    case newerVersion(UInt8)
    /// The keys belong to another device.
    case ofAnotherDevice
    /// A passphrase is needed.
    case passphraseNeeded
    /// The passphrase is wrong.
    case wrongPassphrase
    /// A passphrase was given, and the keys are not encrypted.
    case notEncrypted
    /// The key derivation would take more time or memory than allowed.
    case costTooHigh
    /// No more keys can be retired.
    case tooManyRetired
    /// The system refused randomness, or memory for secrets or for the passphrase's derivation.
    case noResources
}

/// Why a device's keys cannot be read, changed or written, and where.
public struct KeyStoreError: Error, Hashable, Sendable, CustomStringConvertible {
    public let reason: KeyFileError
    /// The file.
    public let path: String

    /// A sentence for people.
    public var description: String {
        switch reason {
        case .file(let error): error.description
        case .readableByOthers:
            "\(path) can be read by others than its owner, who could read along with it; correct it with: "
                + "chmod 600 \(path)"
        case .truncated: "\(path) ends too early: the device's keys are not whole"
        case .corrupt: "\(path) does not hold a device's keys, or was damaged"
        case .tooLarge: "\(path) is larger than a device's keys are"
        case .newerVersion(let version): "\(path) has the format \(version), which this version does not know"
        case .ofAnotherDevice: "\(path) holds the keys of another device than its place says"
        case .passphraseNeeded: "\(path) is protected by a passphrase"
        case .wrongPassphrase: "\(path) is protected by another passphrase"
        case .notEncrypted: "\(path) is not protected by a passphrase, though one was given"
        case .costTooHigh: "\(path) asks for more time or memory than opening it may take"
        case .tooManyRetired: "\(path) holds as many retired keys as it can"
        case .noResources: "no randomness or memory for the keys of \(path)"
        }
    }
}

extension DeviceKeyStore {
    /// Runs work that fails only without memory or randomness.
    func withResources<Result>(
        _ body: () throws(SodiumError) -> Result
    ) throws(KeyFileError) -> Result {
        do throws(SodiumError) { return try body() } catch { throw .noResources }
    }
}
