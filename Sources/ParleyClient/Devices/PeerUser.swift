import ParleyCrypto
import ParleyProtocol

/// The pinned keys of one user, and the gateway's list of them. Both together say which devices count.
struct PeerUser: Hashable, Sendable {
    /// The most devices of one user that are pinned. No pin is replaced by another.
    static let maximumPins = 1024

    /// The pinned account key; `nil` if devices are pinned one by one, or nothing is pinned yet.
    private(set) var anchor: AccountKey?
    /// Whether the person has compared the pinned account key.
    private(set) var isVerified = false
    /// Every device that was ever trusted, listed or not.
    private(set) var pins: [DeviceID: PeerPin] = [:]
    /// `nil` if no list came since the account key was pinned.
    private(set) var listing: PeerListing?

    init() {}

    /// - Returns: `nil` for an impossible state.
    init?(anchor: AccountKey?, isVerified: Bool, pins: [DeviceID: PeerPin], listing: PeerListing?) {
        guard anchor != nil || !isVerified, anchor != nil || pins.values.allSatisfy({ $0.certifiedAt == nil }) else {
            return nil
        }
        (self.anchor, self.isVerified, self.pins, self.listing) = (anchor, isVerified, pins, listing)
    }

    /// Whether any key is pinned: later lists are checked against it.
    var isPinned: Bool { anchor != nil || !pins.isEmpty }

    // MARK: What changes it

    /// Merges a list. The first one is trusted as it is (protocol §6, "Account keys").
    mutating func update(_ new: PeerListing) {
        if !isPinned { pinFirst(new) }
        listing = new
        updateCertified()
    }

    private mutating func pinFirst(_ new: PeerListing) {
        anchor = new.account
        if anchor == nil { pins = new.usableKeys.mapValues { PeerPin($0) } }
    }

    /// Pins the devices that the pinned account key has certified, in order.
    private mutating func updateCertified() {
        guard let anchor, let listing, listing.account == anchor else { return }
        for (id, device) in listing.devices.sorted(by: { $0.key < $1.key }) {
            guard let key = device.usableKey, let time = device.certifiedAt else { continue }
            if pins[id] != nil {
                pins[id]?.certify(key, at: time)
            } else if pins.count < PeerUser.maximumPins {
                pins[id] = PeerPin(key, certifiedAt: time)
            }
        }
    }

    /// Trusts the listed keys in place of the pinned ones.
    mutating func acceptListing() {
        guard let listing else { return }
        if let account = listing.account {
            pin(account)
            updateCertified()
        } else {
            (anchor, isVerified) = (nil, false)
            for id in pins.keys { pins[id]?.forgetCertificate() }
            for (id, key) in listing.usableKeys.sorted(by: { $0.key < $1.key }) {
                if pins[id] != nil {
                    pins[id]?.accept(key)
                } else if pins.count < PeerUser.maximumPins {
                    pins[id] = PeerPin(key)
                }
            }
        }
    }

    /// Pins an account key that is certain. The list is dropped, to be fetched again.
    mutating func adopt(_ account: AccountKey) {
        guard account != anchor else { return }
        pin(account)
        listing = nil
    }

    private mutating func pin(_ account: AccountKey) {
        guard account != anchor else { return }
        (anchor, isVerified) = (account, false)
        for id in pins.keys { pins[id]?.forgetCertificate() }
    }

    mutating func verify() { isVerified = anchor != nil }

    // MARK: What it says

    /// Why nothing is sealed for the user: the gateway lists another account key than the pinned one, or none.
    enum Hold: Hashable {
        case otherAccount(AccountKey)
        case noAccount
    }

    var hold: Hold? {
        guard let anchor, let listing, listing.account != anchor else { return nil }
        return listing.account.map(Hold.otherAccount) ?? .noAccount
    }

    /// A listed account key of a user who was known without one. Until it is accepted the pinned devices count.
    var appearedAccount: AccountKey? { anchor == nil && isPinned ? listing?.account : nil }

    enum Status: Hashable {
        /// A recipient, with this key.
        case recipient(IdentityKey)
        /// Nothing is sealed for it before the person accepts the list.
        case held(IdentityKey)
        case ignored(UnusableKeyError)
    }

    /// - Returns: `nil` for a device that is not listed.
    func status(of id: DeviceID) -> Status? {
        guard let listing, let device = listing.devices[id] else { return nil }
        let key: IdentityKey
        switch device.key {
        case .unusable(let fault, _): return .ignored(fault)
        case .usable(let usable): key = usable
        }
        guard let anchor else { return pins[id]?.key == key ? .recipient(key) : .held(key) }
        guard listing.account == anchor else { return .held(key) }
        guard let time = device.certifiedAt else { return .ignored(.uncertified) }
        guard let pin = pins[id] else { return .ignored(.tooManyDevices) }
        return pin.key == key && pin.certifiedAt == time ? .recipient(key) : .ignored(.outdated)
    }

    /// The statuses of the listed devices, in order.
    var statuses: [(id: DeviceID, status: Status)] {
        (listing?.devices.keys.sorted() ?? []).compactMap { id in status(of: id).map { (id, $0) } }
    }

    /// Whether a message for the user alone has to wait for the person's acceptance.
    var isHeld: Bool {
        hold != nil || statuses.contains { if case .held = $0.status { true } else { false } }
    }

    var isPending: Bool { isHeld || appearedAccount != nil }

    /// The keys to show: the listed ones, or the pinned account key if there is no list.
    var presented: ShownKeys.Keys? {
        if let account = listing?.account { return .account(account) }
        if let listing { return listing.usableKeys.isEmpty ? nil : .devices(listing.usableKeys) }
        return anchor.map { .account($0) }
    }
}
