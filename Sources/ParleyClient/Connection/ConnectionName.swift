import ParleyProtocol
import PrivateFiles
import Synchronization

/// The `x` of the client id `uid:did:x` (protocol §1), by which a device's connections differ.
///
/// A gateway accepts eight different names of a device a day, so they are reused.
public enum ConnectionName: Hashable, Sendable {
    /// The first of a few fixed names that is free in this process and, if the device's directory is known, in the
    /// others that share it.
    case free
    /// `x` itself, 1 to 16 characters of the id alphabet. The next connection under it takes over.
    case further(String)
    /// No `x`: the device's only main connection.
    case main
}

/// Reserves a connection's name for as long as it lives.
final class ClaimedName: Sendable {
    /// `nil` for the main connection.
    let name: String?
    private let claim: Claim?
    private let lock: FileLock?

    private struct Claim: Hashable {
        let device: DeviceAddress
        let name: String
    }

    /// The names that a gateway accepts of a device in a day.
    private static let names = 8
    private static let claimed = Mutex<Set<Claim>>([])

    private init(name: String?, claim: Claim? = nil, lock: FileLock? = nil) {
        (self.name, self.claim, self.lock) = (name, claim, lock)
    }

    /// - Parameter directory: of the device's files; `nil` if it has none.
    convenience init(_ name: ConnectionName, of device: DeviceAddress, directory: String?) {
        switch name {
        case .main: self.init(name: nil)
        case .further(let text): self.init(name: text)
        case .free: self.init(freeOf: device, directory: directory)
        }
    }

    /// The names begin with a hash of the directory, or of the program's path if there is none, so that two places
    /// differ.
    private convenience init(freeOf device: DeviceAddress, directory: String?) {
        let prefix = ClaimedName.digits(of: directory ?? CommandLine.arguments.first ?? "")
        for number in 0..<ClaimedName.names {
            let claim = Claim(device: device, name: "\(prefix)-\(number)")
            guard ClaimedName.claimed.withLock({ $0.insert(claim).inserted }) else { continue }
            guard let directory else {
                self.init(name: claim.name, claim: claim)
                return
            }
            do throws(FileError) {
                if let lock = try FileLock(ifFree: "\(directory)/connection-\(number).lock", patience: .zero) {
                    self.init(name: claim.name, claim: claim, lock: lock)
                    return
                }
            } catch {
                // Without a directory to lock in, names are only distinct within this process.
                self.init(name: claim.name, claim: claim)
                return
            }
            _ = ClaimedName.claimed.withLock { $0.remove(claim) }
        }
        // More connections than the default limit: the gateway decides.
        self.init(name: "\(prefix)-\(String(UInt32.random(in: 0 ... .max), radix: 36))")
    }

    deinit {
        lock?.release()
        if let claim { _ = ClaimedName.claimed.withLock { $0.remove(claim) } }
    }

    /// A hash of the text as six digits (FNV-1a).
    private static func digits(of text: String) -> String {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in text.utf8 { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
        let digits = String(hash % 2_176_782_336, radix: 36)
        return String(repeating: "0", count: 6 - digits.utf8.count) + digits
    }
}
