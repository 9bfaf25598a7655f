import ParleyCrypto
import ParleyProtocol

/// Lies in events about devices, each beside a listing that fits it.
package enum EventLie: String, LieFamily {
    case keysChanged, deviceRevoked, deviceAdded, linkOffered, linkApproved

    package var sentence: String {
        switch self {
        case .keysChanged: "keys.changed says that there is something new, which is a device that nobody has certified"
        case .deviceRevoked: "device.revoked says that the phone is no more, and another device is listed"
        case .deviceAdded: "device.added tells of a device of the user's own that nobody has linked"
        case .linkOffered: "link.offered says that a device of the user's own would be linked"
        case .linkApproved: "link.approved hands the device an account key that is the gateway's"
        }
    }

    package var way: Lie.Way { .event }
}

extension World {
    /// What is published at once when the lie is told.
    mutating func events(of lie: EventLie, about partner: UserID, to device: DeviceAddress) -> [Publication] {
        let ghost = DeviceAddress(user: device.user, device: DeviceID(validated: "ghost"))
        let time = tick()
        return [
            Publication(.user(device.user, .events), .everybody) { writer in
                switch lie {
                case .keysChanged: KeysChange(user: partner).writeEvent(to: &writer)
                case .deviceRevoked:
                    DeviceRevocation(device: DeviceAddress(user: device.user, device: Person.phone), at: time)
                        .writeEvent(to: &writer)
                case .deviceAdded: DeviceAddition(device: ghost, at: time).writeEvent(to: &writer)
                case .linkOffered:
                    let keys = attacker.device(ghost)
                    let offer = LinkOffer(
                        identityKey: keys.identityKey, signingKey: keys.signingKey ?? [], linkKey: keys.identityKey)
                    PendingLink(device: ghost.device, offer: offer, expiresAt: time.advanced(byMilliseconds: 600_000))
                        .notice.writeEvent(to: &writer)
                case .linkApproved: approval(for: device, at: time)?.writeEvent(to: &writer)
                }
            }
        ]
    }

    /// A certificate that is good, by an account that is not the user's.
    private func approval(for device: DeviceAddress, at time: Timestamp) -> LinkApproval? {
        let keys = published[device.user]?.devices.first { $0.device == device.device }
        guard let keys, let signingKey = keys.signingKey,
            let certificate = try? attacker.account.certify(
                device, identityKey: keys.identityKey, signingKey: signingKey, at: time)
        else { return nil }
        return LinkApproval(
            device: device.device, certificate: certificate,
            sealed: [UInt8](repeating: 7, count: LinkApproval.sealedLength))
    }
}
