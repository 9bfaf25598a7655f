import ParleyCrypto
import ParleyProtocol

/// What is trusted of one user, and what the gateway lists of them now. What of the list counts follows from the two.
struct PeerUser: Hashable, Sendable {
    /// How many devices of one user are ever pinned. No pin makes room for another.
    static let maximumPins = 1024

    /// The account key that the user is known by; `nil` for a user whose devices are pinned one by one, or of whom
    /// nothing is pinned yet.
    private(set) var anchor: AccountKey?
    /// Whether the person has compared the pinned account key.
    private(set) var isVerified = false
    /// Of every device that was ever trusted, listed or not.
    private(set) var pins: [DeviceID: PeerPin] = [:]
    /// `nil` where nothing was listed since the account key was pinned.
    private(set) var listing: PeerListing?

    init() {}

    /// - Returns: `nil` for what no history leads to.
    init?(anchor: AccountKey?, isVerified: Bool, pins: [DeviceID: PeerPin], listing: PeerListing?) {
        guard anchor != nil || !isVerified, anchor != nil || pins.values.allSatisfy({ $0.certifiedAt == nil }) else {
            return nil
        }
        (self.anchor, self.isVerified, self.pins, self.listing) = (anchor, isVerified, pins, listing)
    }

    /// Whether anything is trusted of the user: from then on what is listed is held against it.
    var isPinned: Bool { anchor != nil || !pins.isEmpty }

    // MARK: What changes it

    /// Takes up what the gateway lists. The first time it is trusted as it is (protocol §6, "Account keys").
    mutating func update(_ new: PeerListing) {
        if !isPinned { pinFirst(new) }
        listing = new
        updateCertified()
    }

    private mutating func pinFirst(_ new: PeerListing) {
        anchor = new.account
        if anchor == nil { pins = new.usableKeys.mapValues { PeerPin($0) } }
    }

    /// Pins what the pinned account key has certified, in the order of the devices.
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

    /// Trusts what is listed now, in place of what was pinned.
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

    /// Pins an account key that is known for certain, whatever is listed. That is fetched anew.
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

    /// The person has compared the pinned account key.
    mutating func verify() { isVerified = anchor != nil }

    // MARK: What it says

    /// Why nothing at all is sealed for the user: the gateway lists another account key than the pinned one, or none.
    enum Hold: Hashable {
        case otherAccount(AccountKey)
        case noAccount
    }

    var hold: Hold? {
        guard let anchor, let listing, listing.account != anchor else { return nil }
        return listing.account.map(Hold.otherAccount) ?? .noAccount
    }

    /// An account key of a user who was known without one. The pinned devices go on until it is accepted.
    var appearedAccount: AccountKey? { anchor == nil && isPinned ? listing?.account : nil }

    /// What a listed device is to this one.
    enum Status: Hashable {
        /// It is sealed for, with this key.
        case counts(IdentityKey)
        /// Nothing is sealed for it before the person accepts what is listed.
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
        guard let anchor else { return pins[id]?.key == key ? .counts(key) : .held(key) }
        guard listing.account == anchor else { return .held(key) }
        guard let time = device.certifiedAt else { return .ignored(.uncertified) }
        guard let pin = pins[id] else { return .ignored(.tooManyDevices) }
        return pin.key == key && pin.certifiedAt == time ? .counts(key) : .ignored(.outdated)
    }

    /// The devices that are listed, in order, and what they are.
    var statuses: [(id: DeviceID, status: Status)] {
        (listing?.devices.keys.sorted() ?? []).compactMap { id in status(of: id).map { (id, $0) } }
    }

    /// Whether a message for the user alone has to wait: the user, or one of the devices that are pinned one by one, is
    /// held.
    var isHeld: Bool {
        hold != nil || statuses.contains { if case .held = $0.status { true } else { false } }
    }

    /// Whether there is anything that the person could accept.
    var isPending: Bool { isHeld || appearedAccount != nil }

    /// What the user is known by, as it is listed now; as it is pinned where nothing is listed.
    var presented: ShownKeys.Keys? {
        if let account = listing?.account { return .account(account) }
        if let listing { return listing.usableKeys.isEmpty ? nil : .devices(listing.usableKeys) }
        return anchor.map { .account($0) }
    }
}
