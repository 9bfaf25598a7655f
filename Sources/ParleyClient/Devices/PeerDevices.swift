import ParleyCrypto
import ParleyProtocol

/// What is known of one device of somebody: the key that is trusted, and those beside it.
struct PeerDevice: Hashable, Sendable {
    /// How many keys that were trusted before are kept, to open old messages with.
    static let maximumOlder = 8

    /// The key that is sealed for: the first one seen, or the one that was accepted last.
    private(set) var pinned: IdentityKey
    /// Those that were pinned before, newest first.
    private(set) var older: [IdentityKey]
    /// The key that the device publishes now, where it is another than the pinned one and was not accepted.
    private(set) var pending: IdentityKey?
    /// When the device was first missing among those of its user.
    private(set) var removedAt: Timestamp?

    /// On first use, the key is trusted.
    init(trusting key: IdentityKey) { self.init(pinned: key, older: [], pending: nil, removedAt: nil) }

    /// - Returns: `nil` for what no device's history leads to: a removed device waits for nobody.
    init?(keptAs pinned: IdentityKey, older: [IdentityKey], pending: IdentityKey?, removedAt: Timestamp?) {
        guard older.count <= PeerDevice.maximumOlder, !older.contains(pinned), Set(older).count == older.count,
            pending != pinned, pending == nil || removedAt == nil
        else { return nil }
        self.init(pinned: pinned, older: older, pending: pending, removedAt: removedAt)
    }

    private init(pinned: IdentityKey, older: [IdentityKey], pending: IdentityKey?, removedAt: Timestamp?) {
        self.pinned = pinned
        self.older = older
        self.pending = pending
        self.removedAt = removedAt
    }

    /// The device is among those of its user, with this key; `nil` for one that cannot be used.
    mutating func isPublished(_ key: IdentityKey?) {
        removedAt = nil
        if let key { pending = key == pinned ? nil : key }
    }

    /// The device is not among those of its user. Its key stays pinned: with another one it will not come back as new.
    mutating func isMissing(since time: Timestamp) {
        guard removedAt == nil else { return }
        removedAt = time
        pending = nil
    }

    /// Trusts the key that is waiting.
    mutating func accept() {
        guard let key = pending else { return }
        older = Array(([pinned] + older).filter { $0 != key }.prefix(PeerDevice.maximumOlder))
        pinned = key
        pending = nil
    }
}

/// What is known of one user's devices.
struct PeerDevices: Hashable, Sendable {
    /// How many devices of a listing are looked at: what a message can be sealed for (protocol §4).
    static let maximumPublished = Limits.recipientKeys
    /// How many removed devices are remembered; those that have been gone the longest are forgotten first.
    static let maximumRemoved = 128

    var devices: [DeviceID: PeerDevice] = [:]
    /// Why what these devices publish now is not used.
    var faults: [DeviceID: PeerKeyFault] = [:]

    /// A device that is among those of its user now.
    func published(_ device: DeviceID) -> PeerDevice? {
        devices[device].flatMap { $0.removedAt == nil ? $0 : nil }
    }

    /// Takes what the gateway says are the keys of the user's devices.
    mutating func take(_ listing: some Collection<DeviceKeys>, of user: UserID, now: Timestamp) {
        faults.removeAll()
        var missing = Set(devices.keys)
        for keys in listing.prefix(PeerDevices.maximumPublished) {
            missing.remove(keys.device)
            do throws(PeerKeyFault) {
                let key = try keys.verifiedIdentityKey(of: user)
                devices[keys.device, default: PeerDevice(trusting: key)].isPublished(key)
            } catch {
                faults[keys.device] = error
                devices[keys.device]?.isPublished(nil)
            }
        }
        for device in missing { devices[device]?.isMissing(since: now) }
        forgetLongestRemoved()
    }

    private mutating func forgetLongestRemoved() {
        let removed = devices.compactMap { device, peer in peer.removedAt.map { (device, $0) } }
        guard removed.count > PeerDevices.maximumRemoved else { return }
        let oldest = removed.sorted { ($0.1, $0.0) < ($1.1, $1.0) }
        for (device, _) in oldest.prefix(removed.count - PeerDevices.maximumRemoved) { devices[device] = nil }
    }
}
