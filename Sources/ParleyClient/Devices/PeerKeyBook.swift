import ParleyCrypto
import ParleyProtocol

/// The keys of other users' devices, and of one's own other devices, as one device trusts them (protocol §6, "Account
/// keys"; decision 0040).
///
/// A value: what the gateway lists goes in, what has become of the keys comes out. A device is sealed for only with a
/// key that was pinned on first use, certified by the pinned account key, or accepted.
package struct PeerKeyBook: Hashable, Sendable {
    /// Whose book it is. This device is no peer of its own, whatever is listed of it.
    package let owner: DeviceAddress
    private(set) var users: [UserID: PeerUser]

    package init(of owner: DeviceAddress) { self.init(of: owner, users: [:]) }

    init(of owner: DeviceAddress, users: [UserID: PeerUser]) {
        self.owner = owner
        self.users = users
    }

    // MARK: What changes it

    /// Takes up the account key and the devices of a user, as the gateway lists them now.
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

    /// Knows its own user by the account key that this device holds, whatever is listed.
    package mutating func adoptOwn(_ account: AccountKey) -> [PeerKeyNotice] {
        change(owner.user) { $0.adopt(account) }
    }

    private mutating func change(_ user: UserID, _ body: (inout PeerUser) -> Void) -> [PeerKeyNotice] {
        let old = users[user]
        body(&users[user, default: PeerUser()])
        return notices(of: user, since: old)
    }

    /// What happened since an older state of the same book.
    package func notices(since old: PeerKeyBook) -> [PeerKeyNotice] {
        users.keys.sorted().flatMap { notices(of: $0, since: old.users[$0]) }
    }

    private func notices(of user: UserID, since old: PeerUser?) -> [PeerKeyNotice] {
        users[user].map { PeerKeyNotice.between(old, $0, of: user, isOwn: user == owner.user) } ?? []
    }

    // MARK: For whom is sealed

    /// Whether what the gateway lists of a user was ever merged.
    package func isKnown(_ user: UserID) -> Bool { users[user]?.listing != nil }

    /// Whether a message for this user alone has to wait until the person accepts what is listed.
    package func isHeld(_ user: UserID) -> Bool { users[user]?.isHeld ?? false }

    /// Whether the person could accept anything of a user.
    package func isPending(_ user: UserID) -> Bool { users[user]?.isPending ?? false }

    /// Whether the person could accept anything of anybody.
    package var isAnyPending: Bool { users.values.contains(where: \.isPending) }

    /// The devices of these users that are listed, in order: those that are sealed for, and those that are left out.
    ///
    /// - Parameter sender: the device that seals.
    package func recipients(of users: [UserID], besides sender: DeviceAddress) -> PeerRecipients {
        var recipients = PeerRecipients()
        for user in Set(users).sorted() {
            guard let peer = self.users[user] else { continue }
            for (id, status) in peer.statuses {
                let address = DeviceAddress(user: user, device: id)
                guard address != sender else { continue }
                switch status {
                case .counts(let key):
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

    /// The keys by which a device's messages are opened: the pinned one and those before it, newest first. A key that
    /// waits to be accepted is not among them.
    package func knownKeys(of device: DeviceAddress) -> [IdentityKey] {
        users[device.user]?.pins[device.device].map { [$0.key] + $0.older } ?? []
    }

    /// Whether what is sealed for its user is sealed for a device.
    func isRecipient(_ device: DeviceAddress) -> Bool {
        if case .counts? = users[device.user]?.status(of: device.device) { true } else { false }
    }

    /// Whether a device is listed with a key that the person has yet to accept.
    package func isHeld(_ device: DeviceAddress) -> Bool {
        if case .held? = users[device.user]?.status(of: device.device) { true } else { false }
    }

    /// Why what is listed of a device is not used.
    package func fault(of device: DeviceAddress) -> UnusableKeyError? {
        if case .ignored(let fault)? = users[device.user]?.status(of: device.device) { fault } else { nil }
    }

    // MARK: What people compare

    /// The keys by which a user is shown: as they are listed now, accepted or not; `nil` for a user without any.
    package func presented(of user: UserID) -> ShownKeys? {
        users[user]?.presented.map { ShownKeys(user: user, keys: $0) }
    }

    /// The pinned account key of a user; `nil` for one who is known without one.
    package func accountKey(of user: UserID) -> AccountKey? { users[user]?.anchor }

    /// Whether the person has compared the pinned account key of a user.
    package func isVerified(_ user: UserID) -> Bool { users[user]?.isVerified ?? false }
}

/// The devices that a message is for.
package struct PeerRecipients: Hashable, Sendable {
    package struct Sealed: Hashable, Sendable {
        package let device: DeviceAddress
        package let key: IdentityKey
    }

    /// A device that the gateway wants named, and that gets nothing.
    package struct LeftOut: Hashable, Sendable {
        package let device: DeviceAddress
        /// Of the key that it has published.
        package let keyID: KeyID?
    }

    package internal(set) var sealed: [Sealed] = []
    package internal(set) var leftOut: [LeftOut] = []

    /// Leaves all devices of a user out.
    mutating func leaveOut(_ user: UserID) {
        leftOut += sealed.filter { $0.device.user == user }.map { LeftOut(device: $0.device, keyID: $0.key.id) }
        leftOut.sort { $0.device < $1.device }
        sealed.removeAll { $0.device.user == user }
    }
}
