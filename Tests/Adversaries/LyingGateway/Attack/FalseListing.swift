import ParleyCrypto
import ParleyProtocol
import Sodium

/// The keys of a user as they are told.
struct FalseListing {
    private(set) var keys: UserKeys
    private let attacker: Attacker
    private let person: Person?
    /// How many listings were told before.
    private let number: Int
    private let now: Timestamp

    private static let ghost = DeviceID(validated: "ghost")
    /// Of small order: every shared secret and every signature by it would be anybody's.
    private static let noPoint: [UInt8] = [1] + [UInt8](repeating: 0, count: 31)

    init(_ keys: UserKeys, by attacker: Attacker, of person: Person?, number: Int, now: Timestamp) {
        self.keys = keys
        self.attacker = attacker
        self.person = person
        self.number = number
        self.now = now
    }

    mutating func tell(_ lie: KeyLie) {
        switch lie {
        case .ghost, .ownGhost: add(ghost())
        case .ghostCertifiedByAnotherAccount, .ownGhostCertifiedByAnotherAccount:
            add(ghost(attacker.identity.certificate(by: attacker.account, as: ghostAddress, at: now)))
        case .ghostUnderCertificateOfAnotherUser:
            let mallory = attacker.person.devices[Attacker.device]
            add(ghost(mallory?.certificate))
        case .ghostUnderCertificateOfAnotherDevice: add(ghost(keys.devices.first?.certificate))
        case .ghostCertifiedByItself: add(ghost(certificateByItself))
        case .ghostUnderTruncatedCertificate:
            add(ghost(keys.devices.first?.certificate.map { $0.with(Array($0.signature.prefix(32))) }))
        case .ghostUnderDamagedCertificate:
            // The very certificate that the account would give, were it asked.
            let genuine = attacker.identity.certificate(by: person?.account, as: ghostAddress, at: now)
            add(ghost(genuine.map { $0.with([$0.signature[0] ^ 1] + $0.signature.dropFirst()) }))
        case .ownAccountClaimed:
            takeOver(ghostAddress, accountKey: attacker.account.publicKey.bytes, isCertified: true)
        case .otherAccount, .accountAppears:
            takeOver(accountKey: attacker.account.publicKey.bytes, isCertified: true)
        case .otherIdentity: takeOver(accountKey: keys.accountKey)
        case .otherIdentityUnderOldCertificate:
            let certificate = keys.devices.first?.certificate
            replacePhone(attacker.device(phone, certificate: certificate))
        case .otherIdentityCertifiedByAnotherAccount: takeOver(accountKey: keys.accountKey, isCertified: true)
        case .olderKeysUnderOlderCertificate:
            if let stolen = person?.stolen { replacePhone(stolen.keys) }
        case .accountGone: takeOver(accountKey: nil)
        case .accountGoneWithGhost:
            keys = UserKeys(user: keys.user, devices: keys.devices.map(\.withoutCertificate))
            add(ghost())
        case .accountMalformed: takeOver(accountKey: FalseListing.noPoint)
        case .decoysThenOtherIdentity:
            switch number {
            case 0: replace(with: (0..<Limits.recipientKeys).map { decoy("decoy-\($0)") })
            case 1: replace(with: [decoy("decoy-0")])
            default: takeOver(accountKey: keys.accountKey)
            }
        case .removedThenOtherIdentity:
            if number == 0 { replace(with: []) } else { takeOver(accountKey: keys.accountKey) }
        case .comparedIsNotFetched:
            if number > 0 { takeOver(accountKey: keys.accountKey) }
        case .keysOfAnotherUser:
            guard let device = attacker.person.devices[Attacker.device]?.keys else { return }
            // A signature names its user, and may be left out.
            let unsigned = DeviceKeys(
                device: device.device, identityKey: device.identityKey, signingKey: device.signingKey, signature: nil,
                certificate: device.certificate, createdAt: device.createdAt)
            keys = UserKeys(
                user: Attacker.user, accountKey: attacker.person.account?.publicKey.bytes, devices: [unsigned])
        }
    }

    /// The phone, or another device, is the attacker's, and the only one.
    private mutating func takeOver(
        _ address: DeviceAddress? = nil, accountKey: [UInt8]?, isCertified: Bool = false
    ) {
        let device = address ?? phone
        let certificate = attacker.identity.certificate(by: isCertified ? attacker.account : nil, as: device, at: now)
        keys = UserKeys(
            user: keys.user, accountKey: accountKey, devices: [attacker.device(device, certificate: certificate)])
    }

    /// One device more, beside the phone.
    mutating func addGhost() { add(ghost()) }

    /// One device, in the place of all.
    mutating func leaveGhostAlone() { replace(with: [ghost()]) }

    // MARK: Devices

    private var phone: DeviceAddress { DeviceAddress(user: keys.user, device: Person.phone) }
    private var ghostAddress: DeviceAddress { DeviceAddress(user: keys.user, device: FalseListing.ghost) }

    private func ghost(_ certificate: DeviceCertificate? = nil) -> DeviceKeys {
        attacker.device(ghostAddress, certificate: certificate)
    }

    private func decoy(_ name: String) -> DeviceKeys {
        attacker.device(DeviceAddress(user: keys.user, device: DeviceID(validated: name)))
    }

    private var certificateByItself: DeviceCertificate? {
        let preimage = DeviceCertificate.preimage(
            ghostAddress, identityKey: attacker.identity.identity.publicKey.bytes,
            signingKey: attacker.identity.signing.publicKey.bytes, issuedAt: now)
        return (try? attacker.identity.signing.sign(preimage.span)).map {
            DeviceCertificate(signature: $0, issuedAt: now)
        }
    }

    private mutating func add(_ device: DeviceKeys) { replace(with: keys.devices + [device]) }

    private mutating func replacePhone(_ phone: DeviceKeys) {
        replace(with: keys.devices.filter { $0.device != Person.phone } + [phone])
    }

    private mutating func replace(with devices: [DeviceKeys]) {
        keys = UserKeys(user: keys.user, accountKey: keys.accountKey, devices: devices)
    }
}

extension DeviceCertificate {
    func with(_ signature: [UInt8]) -> DeviceCertificate {
        DeviceCertificate(signature: signature, issuedAt: issuedAt)
    }
}

extension World {
    /// The keys of a user as they are told to somebody.
    ///
    /// - Parameter isFetch: whether this is one listing more, or what was told last.
    func told(of user: UserID, to device: DeviceAddress, isFetch: Bool) -> UserKeys {
        let honest = published[user] ?? UserKeys(user: user, devices: [])
        let isOneself = user == device.user
        let told = isOneself ? lies.values.reduce(into: Set()) { $0.formUnion($1) } : told(about: user)
        let number = max(0, fetches[user, default: 0] - (isFetch ? 0 : 1))
        var listing = FalseListing(
            isOneself ? honest.without(device.device) : honest, by: attacker, of: people[user], number: number, now: now
        )
        var isTold = false
        for lie in told.sorted(by: { $0.name < $1.name }) {
            switch lie {
            case .keys(let lie) where lie.isAboutOneself == isOneself: listing.tell(lie)
            case .refusal(.namesGhost) where !isOneself, .event(.keysChanged) where !isOneself,
                .event(.deviceRevoked) where !isOneself, .event(.deviceAdded) where isOneself,
                .event(.linkOffered) where isOneself, .event(.linkApproved) where isOneself,
                .sender(.ghostSpeaks) where !isOneself, .sender(.ownGhostSpeaks) where isOneself,
                .push(.ghostPushed) where !isOneself, .link(.ghostListedAsCertified) where isOneself:
                listing.addGhost()
            case .refusal(.leavesOutHonest) where !isOneself: listing.leaveGhostAlone()
            case .conversation, .keys, .refusal, .event, .sender, .push, .endless, .link, .backup: continue
            }
            isTold = true
        }
        guard isTold else { return honest }
        // Whoever asks knows what their own device has published.
        let own = isOneself ? honest.devices.filter { $0.device == device.device } : []
        return UserKeys(
            user: listing.keys.user, accountKey: listing.keys.accountKey, devices: own + listing.keys.devices)
    }
}

extension UserKeys {
    fileprivate func without(_ device: DeviceID) -> UserKeys {
        UserKeys(user: user, accountKey: accountKey, devices: devices.filter { $0.device != device })
    }
}
