import ParleyCrypto
import ParleyProtocol

// Keys, as they really are; what is told of them goes through `told(of:to:isFetch:)`.

extension World {
    mutating func publish(_ keys: PublishKeys, of device: DeviceAddress) throws(Rejection) -> Answer {
        if keys.proof != nil, tells(.link(.accountRefused)) {
            throw Rejection(.conflict, "The user has another account key.")
        }
        let old = published[device.user] ?? UserKeys(user: device.user, devices: [])
        var others = old.devices.filter { $0.device != device.device }
        if let accountKey = keys.proof?.accountKey, let known = old.accountKey, accountKey != known {
            guard keys.resetsAccount else { throw Rejection(.conflict, "The user has another account key.") }
            others = others.map(\.withoutCertificate)
        }
        let made = DeviceKeys(
            device: device.device, identityKey: keys.identityKey, signingKey: keys.signingKey,
            signature: keys.signature, certificate: keys.proof?.certificate, createdAt: tick())
        published[device.user] = UserKeys(
            user: device.user, accountKey: keys.proof?.accountKey ?? old.accountKey,
            devices: (others + [made]).sorted { $0.device < $1.device })
        remember(made, of: device.user)
        return .accepted { made.write(to: &$0) }
    }

    mutating func keys(of user: UserID, for device: DeviceAddress) throws(Rejection) -> Answer {
        guard published[user] != nil else { throw .userNotFound }
        let told = told(of: user, to: device, isFetch: true)
        fetches[user, default: 0] += 1
        return .accepted { told.write(to: &$0) }
    }

    func devices(of device: DeviceAddress) -> Answer {
        let listing = told(of: device.user, to: device, isFetch: false)
        let summaries = listing.devices.map { keys in
            DeviceSummary(
                device: keys.device, createdAt: keys.createdAt, expiresAt: .latest, hasKeys: true,
                isCertified: keys.certificate != nil
                    || keys.device == World.ghost && tells(.link(.ghostListedAsCertified)))
        }
        return .accepted { writer in
            writer.object { object in
                object.member("devices", array: summaries) { $1.write(to: &$0, isCurrent: $1.device == device.device) }
            }
        }
    }

    /// Holds a message to the devices that the gateway tells of (protocol §6), as honest ones do.
    mutating func refuseStaleDevices(
        _ sealed: SealedContent, in thread: TrueConversation, from device: DeviceAddress
    ) throws(Rejection) {
        let partner = thread.partner(of: device.user)
        if let difference = falseDifference(sealed, about: partner) { throw .staleDevices(difference) }
        // Who lies about the members wants what comes of it, whomever it is sealed for.
        let isAboutMembers = lies(about: thread, to: device.user).contains { $0.family == .conversation }
        guard !isAboutMembers, !takesAnything else { return }
        var keyIDs: [DeviceAddress: KeyID] = [:]
        for user in thread.members {
            for keys in told(of: user, to: device, isFetch: false).devices.prefix(Limits.recipientKeys) {
                let address = DeviceAddress(user: user, device: keys.device)
                guard address != device else { continue }
                keyIDs[address] = IdentityKey(keys.identityKey)?.id
            }
        }
        guard let named = sealed.recipientKeys else {
            let only = keyIDs.count == 1 ? keyIDs.first : nil
            guard keyIDs.count <= 1, sealed.recipientKeyID == nil || sealed.recipientKeyID == only?.value else {
                throw .staleDevices(.init(missing: keyIDs.keys.sorted(), extra: []))
            }
            return
        }
        let others = named.filter { key in key.keyID != nil && keyIDs[key.address] != key.keyID }.map(\.address)
            .filter { $0.user != Attacker.user }
        let addresses = Set(named.map(\.address))
        let missing = Set(keyIDs.keys).subtracting(addresses).union(others)
        // Whom the attacker gets to read, the attacker does not complain of.
        let extra = addresses.subtracting(keyIDs.keys).filter { $0.user != Attacker.user }.union(others)
        guard missing.isEmpty, extra.isEmpty else {
            throw .staleDevices(.init(missing: missing.sorted(), extra: extra.sorted()))
        }
    }
}

extension DeviceKeys {
    var withoutCertificate: DeviceKeys {
        DeviceKeys(
            device: device, identityKey: identityKey, signingKey: signingKey, signature: signature,
            createdAt: createdAt)
    }
}

extension Rejection {
    static func staleDevices(_ difference: DeviceDifference) -> Rejection {
        Rejection(.staleDevices, "There are other devices.", devices: difference)
    }
}
