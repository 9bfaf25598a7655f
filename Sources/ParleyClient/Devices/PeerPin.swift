import ParleyCrypto
import ParleyProtocol

/// The trusted keys of one device: the current one and its predecessors.
struct PeerPin: Hashable, Sendable {
    /// The most old keys that are kept, to open old messages.
    static let maximumOlder = 8

    /// The current key, used while the device is listed with it.
    private(set) var key: IdentityKey
    /// The old keys, newest first.
    private(set) var older: [IdentityKey]
    /// The time of the latest certificate of `key` by the pinned account key; `nil` for a key that was pinned on first
    /// use or accepted by itself.
    private(set) var certifiedAt: Timestamp?

    init(_ key: IdentityKey, certifiedAt: Timestamp? = nil) {
        (self.key, older, self.certifiedAt) = (key, [], certifiedAt)
    }

    /// - Returns: `nil` for an impossible state.
    init?(kept key: IdentityKey, older: [IdentityKey], certifiedAt: Timestamp?) {
        guard older.count <= PeerPin.maximumOlder, !older.contains(key), Set(older).count == older.count else {
            return nil
        }
        (self.key, self.older, self.certifiedAt) = (key, older, certifiedAt)
    }

    /// The pinned account key has certified `new`. A certificate that is not later than the last one changes nothing.
    mutating func certify(_ new: IdentityKey, at time: Timestamp) {
        if let certifiedAt, time <= certifiedAt { return }
        replaceKey(new)
        certifiedAt = time
    }

    mutating func accept(_ new: IdentityKey) {
        replaceKey(new)
        certifiedAt = nil
    }

    /// Drops the certificate of an earlier account key.
    mutating func forgetCertificate() { certifiedAt = nil }

    private mutating func replaceKey(_ new: IdentityKey) {
        guard new != key else { return }
        older = Array(([key] + older).filter { $0 != new }.prefix(PeerPin.maximumOlder))
        key = new
    }
}
