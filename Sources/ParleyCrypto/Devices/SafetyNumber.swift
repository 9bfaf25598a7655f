import ParleyProtocol
import Sodium

/// Sixty digits by which two people check that they have each other's keys, without an attacker between them (protocol
/// §6, "Verification").
///
/// Both see the same digits. They are made of a user's account key, so that a change of devices does not change them;
/// without an account key, of the keys of all devices.
public struct SafetyNumber: Hashable, Sendable {
    struct Half: Hashable, Sendable {
        let user: UserID
        let fingerprint: Fingerprint
    }

    let own: Half
    let peer: Half

    /// A user's keys.
    public enum Keys: Hashable, Sendable {
        case account(AccountKey)
        /// The identity keys of all devices, in any order.
        case devices([IdentityKey])

        fileprivate var isEmpty: Bool { self == .devices([]) }
    }

    /// - Returns: `nil` if one of them has no keys.
    public init?(_ own: UserID, _ ownKeys: Keys, with peer: UserID, _ peerKeys: Keys) {
        guard !ownKeys.isEmpty, !peerKeys.isEmpty else { return nil }
        self.own = Half(user: own, fingerprint: Fingerprint(own, ownKeys))
        self.peer = Half(user: peer, fingerprint: Fingerprint(peer, peerKeys))
    }

    /// The sixty digits.
    public var digits: String {
        [own.fingerprint.digits, peer.fingerprint.digits].sorted().joined()
    }

    /// The digits to show and read aloud: twelve groups of five.
    public var groups: [String] {
        let digits = Array(digits)
        return stride(from: 0, to: digits.count, by: 5).map { String(digits[$0..<$0 + 5]) }
    }
}

extension AccountKey {
    /// The user's half of every safety number: six groups of five digits.
    public func groups(of user: UserID) -> [String] {
        let digits = Array(Fingerprint(user, .account(self)).digits)
        return stride(from: 0, to: digits.count, by: 5).map { String(digits[$0..<$0 + 5]) }
    }
}

extension SafetyNumber: CustomStringConvertible {
    /// The groups with a space between.
    public var description: String { groups.joined(separator: " ") }
}

/// A digest of a user's id and keys: Signal's numeric fingerprint.
struct Fingerprint: Hashable, Sendable {
    /// The bytes of the digest that become digits.
    static let length = 30
    /// Enough to make a search for a similar fingerprint expensive.
    private static let iterations = 5200
    let bytes: [UInt8]

    init(_ user: UserID, _ keys: SafetyNumber.Keys) {
        let (version, keys) = Fingerprint.hashed(keys)
        var digest = version + keys + Array(user.text.utf8)
        for _ in 0..<Fingerprint.iterations {
            digest.append(contentsOf: keys)
            digest = SHA512.hash(digest.span)
        }
        bytes = Array(digest.prefix(Fingerprint.length))
    }

    /// The version of the construction, which is hashed too, and the keys.
    private static func hashed(_ keys: SafetyNumber.Keys) -> (version: [UInt8], keys: [UInt8]) {
        switch keys {
        case .account(let key): ([0, 1], key.bytes)
        case .devices(let keys):
            ([0, 0], keys.map(\.bytes).sorted { $0.lexicographicallyPrecedes($1) }.flatMap { $0 })
        }
    }

    /// The fingerprint in a code; `nil` unless it is 30 bytes in base64url.
    init?(base64URL text: [UInt8]) {
        guard let bytes = Base64URL.decode(text.span), bytes.count == Fingerprint.length else { return nil }
        self.bytes = bytes
    }

    /// Thirty digits: five for every five bytes, as a big-endian number modulo 100,000.
    var digits: String {
        stride(from: 0, to: Fingerprint.length, by: 5).map { start in
            let number = bytes[start..<start + 5].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            let digits = String(number % 100_000)
            return String(repeating: "0", count: 5 - digits.count) + digits
        }.joined()
    }
}
