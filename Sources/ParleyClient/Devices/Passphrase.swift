import Foundation
import Sodium

/// A passphrase that protects a device's keys.
public struct Passphrase: Sendable, CustomStringConvertible, CustomReflectable {
    /// In bytes.
    public static let maximumLength = 1024

    let bytes: SecretBytes

    /// - Parameter text: normalized to Unicode's NFC. Its own memory cannot be wiped.
    /// - Returns: `nil` for an empty text, or more than 1024 bytes of UTF-8.
    public init?(_ text: String) {
        var bytes = Array(text.precomposedStringWithCanonicalMapping.utf8)
        defer { wipe(&bytes) }
        guard (1...Passphrase.maximumLength).contains(bytes.count),
            let secret = try? SecretBytes(copying: bytes.span)
        else { return nil }
        self.bytes = secret
    }

    public var description: String { "Passphrase" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// The cost of trying a passphrase.
public struct PassphraseCost: Hashable, Sendable {
    let argon2id: Argon2id.Cost

    /// About a tenth of a second and 64 MiB.
    public static let interactive = PassphraseCost(.interactive)
    /// About a second and 256 MiB.
    public static let moderate = PassphraseCost(.moderate)

    package init(_ cost: Argon2id.Cost) { argon2id = cost }
}

/// The protection of a device's keys.
public enum KeyProtection: Sendable {
    /// By the file's permissions alone.
    case ownership
    /// By a passphrase, too.
    case passphrase(Passphrase, PassphraseCost = .moderate)

    var passphrase: Passphrase? {
        if case .passphrase(let passphrase, _) = self { passphrase } else { nil }
    }
}
