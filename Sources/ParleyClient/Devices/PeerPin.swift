import ParleyCrypto
import ParleyProtocol

/// The keys of one device that were trusted: the one that counts, and those before it.
struct PeerPin: Hashable, Sendable {
    /// How many keys that were trusted before are kept, to open old messages with.
    static let maximumOlder = 8

    /// The key that is sealed for as long as the device is listed with it.
    private(set) var key: IdentityKey
    /// Those that were pinned before, newest first.
    private(set) var older: [IdentityKey]
    /// When the user's pinned account key has certified `key`, the latest that was seen; `nil` for a key that was
    /// trusted on first use or accepted by itself.
    private(set) var certifiedAt: Timestamp?

    init(_ key: IdentityKey, certifiedAt: Timestamp? = nil) {
        (self.key, older, self.certifiedAt) = (key, [], certifiedAt)
    }

    /// - Returns: `nil` for what no device's history leads to.
    init?(kept key: IdentityKey, older: [IdentityKey], certifiedAt: Timestamp?) {
        guard older.count <= PeerPin.maximumOlder, !older.contains(key), Set(older).count == older.count else {
            return nil
        }
        (self.key, self.older, self.certifiedAt) = (key, older, certifiedAt)
    }

    /// The user's pinned account key has certified `new`. An earlier certificate than was seen changes nothing, nor
    /// does another one of the same instant.
    mutating func certify(_ new: IdentityKey, at time: Timestamp) {
        if let certifiedAt, time <= certifiedAt { return }
        replaceKey(new)
        certifiedAt = time
    }

    /// The person has accepted `new` for the device.
    mutating func accept(_ new: IdentityKey) {
        replaceKey(new)
        certifiedAt = nil
    }

    /// The user has another account key: what the one before has certified says nothing.
    mutating func forgetCertificate() { certifiedAt = nil }

    private mutating func replaceKey(_ new: IdentityKey) {
        guard new != key else { return }
        older = Array(([key] + older).filter { $0 != new }.prefix(PeerPin.maximumOlder))
        key = new
    }
}
