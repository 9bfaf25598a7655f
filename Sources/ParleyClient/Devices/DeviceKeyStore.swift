import ParleyProtocol
import PrivateFiles
import Sodium

/// Where one device keeps its keys.
///
/// They are made once: whoever asks first makes them, and asking again never makes a new identity, also when several
/// processes ask at the same instant or one is killed while it writes. What cannot be read is left as it is.
public protocol DeviceKeyStore: Sendable {
    /// Whose keys they are.
    var device: DeviceAddress { get }

    /// The device's keys, which are made if there are none. May take a second of a processor and block on the disk.
    func keys() throws(KeyStoreError) -> DeviceKeySet

    /// The device's keys; `nil` if there are none. Nothing is made or changed, and no lock is taken: for a process that
    /// only looks, such as an app's extension.
    func existingKeys() throws(KeyStoreError) -> DeviceKeySet?

    /// Changes the keys, which are made if there are none, under the store's lock.
    ///
    /// - Parameter now: noted as the time of retirement and in certificates.
    func change(_ change: DeviceKeyChange, now: Timestamp) throws(KeyStoreError) -> DeviceKeySet
}

/// Why the file of a device's keys cannot be read, changed or written.
public enum KeyFileError: Error, Hashable, Sendable {
    /// The file could not be read or written.
    case file(FileError)
    /// Others than its owner may use the file.
    case readableByOthers
    /// There is less than there was written.
    case truncated
    /// It is not what was written, or holds no keys.
    case corrupt
    /// More than keys take.
    case tooLarge
    /// Written by a later version, whose number this is.
    case newerVersion(UInt8)
    /// The keys are another device's.
    case ofAnotherDevice
    /// The keys are protected by a passphrase, and none was given.
    case passphraseNeeded
    /// The keys are protected by another passphrase.
    case wrongPassphrase
    /// A passphrase was given, and the keys are not protected by one.
    case notEncrypted
    /// Opening it would take more time or memory than is granted to it.
    case costTooHigh
    /// No more keys can be retired.
    case tooManyRetired
    /// The system refused randomness, or memory for secrets or for the passphrase's derivation.
    case noResources
}

/// Why a device's keys cannot be had, changed or saved, and where.
public struct KeyStoreError: Error, Hashable, Sendable, CustomStringConvertible {
    public let reason: KeyFileError
    /// The file.
    public let place: String

    /// A sentence for people.
    public var description: String {
        switch reason {
        case .file(let error): error.description
        case .readableByOthers:
            "\(place) can be read by others than its owner, who could read along with it; correct it with: "
                + "chmod 600 \(place)"
        case .truncated: "\(place) ends too early: the device's keys are not whole"
        case .corrupt: "\(place) does not hold a device's keys, or was damaged"
        case .tooLarge: "\(place) is larger than a device's keys are"
        case .newerVersion(let version): "\(place) has the format \(version), which this version does not know"
        case .ofAnotherDevice: "\(place) holds the keys of another device than its place says"
        case .passphraseNeeded: "\(place) is protected by a passphrase"
        case .wrongPassphrase: "\(place) is protected by another passphrase"
        case .notEncrypted: "\(place) is not protected by a passphrase, though one was given"
        case .costTooHigh: "\(place) asks for more time or memory than opening it may take"
        case .tooManyRetired: "\(place) holds as many retired keys as it can"
        case .noResources: "no randomness or memory for the keys of \(place)"
        }
    }
}

extension DeviceKeyStore {
    /// Makes a new identity key and retires the one before it: ``DeviceKeyChange/rotation``. The new one is to be
    /// published (`keys/publish`). Where no account key certifies it, others send nothing for it until they have
    /// accepted it.
    public func rotate(now: Timestamp) throws(KeyStoreError) -> DeviceKeySet { try change(.rotation, now: now) }

    /// Runs what fails only where the system gives no randomness or memory.
    func withResources<Result>(
        _ body: () throws(SodiumError) -> Result
    ) throws(KeyFileError) -> Result {
        do throws(SodiumError) { return try body() } catch { throw .noResources }
    }
}
