import ParleyCrypto
import ParleyProtocol

/// The keys of other users' devices and of the user's other devices, as one device trusts them (protocol §6, "Account
/// keys"; decision 0040).
///
/// A value without I/O. A device is a recipient only by a key that was pinned on first use, certified by the pinned
/// account key, or accepted.
package struct PeerKeyBook: Hashable, Sendable {
    /// The owner, which is never listed as its own peer.
    package let owner: DeviceAddress
    private(set) var users: [UserID: PeerUser]

    package init(of owner: DeviceAddress) { self.init(of: owner, users: [:]) }

    init(of owner: DeviceAddress, users: [UserID: PeerUser]) { (self.owner, self.users) = (owner, users) }

    // MARK: What changes it

    /// Merges a user's account key and devices, as the gateway lists them now.
    package mutating func update(with listing: UserKeys) -> [PeerKeyNotice] {
        let listed = PeerListing(listing, besides: owner)
        return change(listing.user) { $0.update(listed) }
    }

    /// Trusts exactly the keys that were shown to the person.
    ///
    /// - Parameter isCompared: whether the person has compared them; remembered of an account key alone.
    /// - Throws: ``KeyAcceptanceError/changed`` if other keys are listed by now; nothing is accepted then.
    package mutating func accept(
        _ shown: ShownKeys, isCompared: Bool = false
    ) throws(KeyAcceptanceError) -> [PeerKeyNotice] {
        guard presented(of: shown.user) == shown else { throw .changed(shown.user) }
        return change(shown.user) {
            $0.acceptListing()
            if isCompared { $0.verify() }
        }
    }

    /// Pins the account key that this device holds, whatever is listed.
    package mutating func adoptOwn(_ account: AccountKey) -> [PeerKeyNotice] {
        change(owner.user) { $0.adopt(account) }
    }

    private mutating func change(_ user: UserID, _ body: (inout PeerUser) -> Void) -> [PeerKeyNotice] {
        let old = users[user]
        body(&users[user, default: PeerUser()])
        return notices(of: user, since: old)
    }

    package func notices(since old: PeerKeyBook) -> [PeerKeyNotice] {
        users.keys.sorted().flatMap { notices(of: $0, since: old.users[$0]) }
    }

    private func notices(of user: UserID, since old: PeerUser?) -> [PeerKeyNotice] {
        users[user].map { PeerKeyNotice.between(old, $0, of: user, isOwn: user == owner.user) } ?? []
    }

    // MARK: For whom is sealed

    /// Whether a list of a user was ever merged.
    package func isKnown(_ user: UserID) -> Bool { users[user]?.listing != nil }

    /// Whether a message for this user alone has to wait for the person's acceptance.
    package func isHeld(_ user: UserID) -> Bool { users[user]?.isHeld ?? false }

    /// Whether keys of a user wait for acceptance.
    package func isPending(_ user: UserID) -> Bool { users[user]?.isPending ?? false }

    /// Whether keys of any user wait for acceptance.
    package var isAnyPending: Bool { users.values.contains(where: \.isPending) }

    /// The listed devices of these users, in order: recipients, and those that are left out.
    ///
    /// - Parameter sender: the device that seals, which is neither.
    package func recipients(of users: [UserID], besides sender: DeviceAddress) -> PeerRecipients {
        var recipients = PeerRecipients()
        for user in Set(users).sorted() {
            guard let peer = self.users[user] else { continue }
            for (id, status) in peer.statuses {
                let address = DeviceAddress(user: user, device: id)
                guard address != sender else { continue }
                switch status {
                case .recipient(let key):
                    recipients.sealed.append(PeerRecipients.Sealed(device: address, key: key))
                case .held, .ignored:
                    recipients.leftOut.append(
                        PeerRecipients.LeftOut(device: address, keyID: peer.listing?.devices[id]?.keyID))
                }
            }
        }
        return recipients
    }

    // MARK: By what is opened

    /// The keys that open a device's messages: the pinned one and its predecessors, newest first. A pending key is not
    /// among them.
    package func knownKeys(of device: DeviceAddress) -> [IdentityKey] {
        users[device.user]?.pins[device.device].map { [$0.key] + $0.older } ?? []
    }

    /// Whether messages for its user are sealed for a device.
    func isRecipient(_ device: DeviceAddress) -> Bool {
        if case .recipient? = users[device.user]?.status(of: device.device) { true } else { false }
    }

    /// Whether a device is listed with a key that waits for acceptance.
    package func isHeld(_ device: DeviceAddress) -> Bool {
        if case .held? = users[device.user]?.status(of: device.device) { true } else { false }
    }

    package func fault(of device: DeviceAddress) -> UnusableKeyError? {
        if case .ignored(let fault)? = users[device.user]?.status(of: device.device) { fault } else { nil }
    }

    // MARK: What people compare

    /// The keys to show of a user: as listed now, accepted or not; `nil` if there are none.
    package func presented(of user: UserID) -> ShownKeys? {
        users[user]?.presented.map { ShownKeys(user: user, keys: $0) }
    }

    package func accountKey(of user: UserID) -> AccountKey? { users[user]?.anchor }

    /// Whether the person has compared the pinned account key of a user.
    package func isVerified(_ user: UserID) -> Bool { users[user]?.isVerified ?? false }
}

package struct PeerRecipients: Hashable, Sendable {
    package struct Sealed: Hashable, Sendable {
        package let device: DeviceAddress
        package let key: IdentityKey
    }

    /// A device that has to be named, and gets nothing.
    package struct LeftOut: Hashable, Sendable {
        package let device: DeviceAddress
        package let keyID: KeyID?
    }

    package internal(set) var sealed: [Sealed] = []
    package internal(set) var leftOut: [LeftOut] = []

    mutating func leaveOut(_ user: UserID) {
        leftOut += sealed.filter { $0.device.user == user }.map { LeftOut(device: $0.device, keyID: $0.key.id) }
        leftOut.sort { $0.device < $1.device }
        sealed.removeAll { $0.device.user == user }
    }
}
