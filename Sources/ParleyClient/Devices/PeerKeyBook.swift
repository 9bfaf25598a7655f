import ParleyCrypto
import ParleyProtocol

/// The keys of other devices, as one device trusts them: on first use, pinned for each device (decision 0017).
///
/// A value: what the gateway lists goes in, what has become of the keys comes out.
package struct PeerKeyBook: Hashable, Sendable {
    /// Whose book it is. This device is no peer of its own, whatever is listed of it.
    package let owner: DeviceAddress
    private(set) var users: [UserID: PeerDevices]

    package init(of owner: DeviceAddress) { self.init(of: owner, users: [:]) }

    init(of owner: DeviceAddress, users: [UserID: PeerDevices]) {
        self.owner = owner
        self.users = users
    }

    // MARK: What changes it

    /// Takes the keys of all devices of a user, as the gateway has them now.
    ///
    /// The first time all of them are pinned without a notice. From then on a device that appears is pinned and added; a
    /// known one keeps its pinned key, and another one that it publishes waits to be accepted. Keys that are weak or
    /// not signed as they say are not used.
    package mutating func update(_ user: UserID, with listing: [DeviceKeys], now: Timestamp) -> [PeerKeyNotice] {
        let old = users[user]
        let others = listing.lazy.filter { [owner] in DeviceAddress(user: user, device: $0.device) != owner }
        users[user, default: PeerDevices()].take(others, of: user, now: now)
        return notices(of: user, since: old)
    }

    /// Trusts what the user's devices publish now in place of what was pinned. Does nothing where nothing waits.
    package mutating func accept(_ user: UserID) -> [PeerKeyNotice] {
        guard let old = users[user] else { return [] }
        for device in old.devices.keys { users[user]?.devices[device]?.accept() }
        return notices(of: user, since: old)
    }

    /// What happened since an older state of the same book.
    package func notices(since old: PeerKeyBook) -> [PeerKeyNotice] {
        users.keys.sorted().flatMap { notices(of: $0, since: old.users[$0]) }
    }

    private func notices(of user: UserID, since old: PeerDevices?) -> [PeerKeyNotice] {
        users[user].map { PeerKeyNotice.between(old, $0, of: user) } ?? []
    }

    // MARK: What it tells

    /// Whether the keys of a user's devices were ever taken.
    package func isKnown(_ user: UserID) -> Bool { users[user] != nil }

    /// The devices of these users whose changed key waits to be accepted: nothing may be sent to their users before.
    package func blocked(for users: [UserID]) -> [DeviceAddress] {
        published(of: users).filter { $1.pending != nil }.map(\.0)
    }

    /// Whether any changed key waits to be accepted.
    package var isAnyPending: Bool { users.values.contains { $0.devices.values.contains { $0.pending != nil } } }

    /// Whether a device's changed key waits to be accepted.
    package func isPending(_ device: DeviceAddress) -> Bool { known(device)?.pending != nil }

    /// Every device of these users that can be sealed for, with its pinned key, in the order of the devices.
    ///
    /// - Parameter sender: the device that seals, which is left out.
    package func recipients(
        of users: [UserID], besides sender: DeviceAddress
    ) -> [(device: DeviceAddress, key: IdentityKey)] {
        published(of: users).filter { $0.0 != sender }.map { ($0, $1.pinned) }
    }

    /// The devices of these users of which only keys are listed that are not used: nothing can be sealed for them,
    /// though the gateway counts them among those with keys.
    package func unusable(of users: [UserID]) -> [DeviceAddress] {
        Set(users).sorted().flatMap { user in
            let peer = self.users[user] ?? PeerDevices()
            return peer.faults.keys.filter { peer.published($0) == nil }.sorted()
                .map { DeviceAddress(user: user, device: $0) }
        }
    }

    /// The keys by which a device's messages are opened: the pinned one and those before it, newest first. A key that
    /// waits to be accepted is not among them.
    package func knownKeys(of device: DeviceAddress) -> [IdentityKey] {
        known(device).map { [$0.pinned] + $0.older } ?? []
    }

    /// What each device of a user publishes now, a key that waits to be accepted in place of the pinned one: what people
    /// compare by a safety number before they accept it.
    package func presentedKeys(of user: UserID) -> [(device: DeviceAddress, key: IdentityKey)] {
        published(of: [user]).map { ($0, $1.pending ?? $1.pinned) }
    }

    private func known(_ device: DeviceAddress) -> PeerDevice? { users[device.user]?.devices[device.device] }

    private func published(of users: [UserID]) -> [(DeviceAddress, PeerDevice)] {
        Set(users).sorted().flatMap { user in
            let peer = self.users[user] ?? PeerDevices()
            return peer.devices.keys.sorted().compactMap { device in
                peer.published(device).map { (DeviceAddress(user: user, device: device), $0) }
            }
        }
    }
}
