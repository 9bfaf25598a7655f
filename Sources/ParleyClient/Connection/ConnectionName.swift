import ParleyProtocol
import PrivateFiles
import Synchronization

/// What distinguishes a connection from others of the same device: the `x` of the client id `uid:did:x` (protocol §1).
///
/// A gateway lets a device use eight different ones a day, so they are used again and again.
public enum ConnectionName: Hashable, Sendable {
    /// The first of a few fixed names that no other connection uses: of this process, and of all that share the
    /// device's directory, where one is known.
    case free
    /// `x` itself, 1 to 16 of the id alphabet. Whoever connects under it next takes over.
    case further(String)
    /// No `x`: the device's main connection, of which there can be one.
    case main
}

/// A connection's name, which nobody else has as long as this lives.
final class ClaimedName: Sendable {
    /// `nil` is the main connection's.
    let name: String?
    private let claim: Claim?
    private let lock: FileLock?

    private struct Claim: Hashable {
        let device: DeviceAddress
        let name: String
    }

    /// As many as a device may use in a day.
    private static let names = 8
    private static let claimed = Mutex<Set<Claim>>([])

    private init(name: String?, claim: Claim? = nil, lock: FileLock? = nil) {
        self.name = name
        self.claim = claim
        self.lock = lock
    }

    /// - Parameter directory: where the device's files are, if it has any.
    convenience init(_ name: ConnectionName, of device: DeviceAddress, directory: String?) {
        switch name {
        case .main: self.init(name: nil)
        case .further(let text): self.init(name: text)
        case .free: self.init(freeOf: device, directory: directory)
        }
    }

    /// The names are of the directory, or of this program where there is none, so that those of two places differ.
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
                // No directory to lock anything in: this process is all that is known of.
                self.init(name: claim.name, claim: claim)
                return
            }
            _ = ClaimedName.claimed.withLock { $0.remove(claim) }
        }
        // More than a device may have by default: the gateway decides.
        self.init(name: "\(prefix)-\(String(UInt32.random(in: 0 ... .max), radix: 36))")
    }

    deinit {
        lock?.release()
        if let claim { _ = ClaimedName.claimed.withLock { $0.remove(claim) } }
    }

    /// Six digits that the text has always, and another one hardly (FNV-1a).
    private static func digits(of text: String) -> String {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in text.utf8 { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
        let digits = String(hash % 2_176_782_336, radix: 36)
        return String(repeating: "0", count: 6 - digits.utf8.count) + digits
    }
}
