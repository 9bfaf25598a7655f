import ParleyCrypto
import ParleyProtocol

/// What has become of the keys of another device, one's own user's other devices among them.
public enum PeerKeyNotice: Hashable, Sendable {
    /// A device of a user whose devices were known before has published keys, or is back with those that were known.
    /// It gets what is sent from now on.
    case added(DeviceAddress)
    /// A known device publishes another key. Nothing is sent to its user until the key is accepted.
    case changed(DeviceAddress, from: IdentityKey, to: IdentityKey)
    /// A changed key was accepted, in this process or in another one of the same device.
    case accepted(DeviceAddress, IdentityKey)
    /// A device is no longer among those of its user. It gets nothing that is sent from now on.
    case removed(DeviceAddress)
    /// What a device publishes is not used. A key of it that was known before still is.
    case invalid(DeviceAddress, PeerKeyFault)
}

/// Why published keys are not used.
public enum PeerKeyFault: UInt8, Error, Hashable, Sendable, CaseIterable, CustomStringConvertible {
    /// The identity key is none, or is of low order and would protect nothing.
    case weakKey = 1
    /// There is a signature, and it is not one of these keys by the signing key beside them.
    case badSignature = 2

    /// A sentence for people.
    public var description: String {
        switch self {
        case .weakKey: "its key protects nothing"
        case .badSignature: "its key is not signed by the device that published it"
        }
    }
}

extension PeerKeyNotice {
    /// What happened between two states of what is known of a user's devices, in the order of the devices.
    ///
    /// - Parameter old: `nil` for a user of whom nothing was known: devices that are there then are no news.
    static func between(_ old: PeerDevices?, _ new: PeerDevices, of user: UserID) -> [PeerKeyNotice] {
        let known = Set(new.devices.keys).union(new.faults.keys).union(old.map { Array($0.devices.keys) } ?? [])
        return known.sorted().flatMap { device in
            let address = DeviceAddress(user: user, device: device)
            let fault = new.faults[device].flatMap { $0 == old?.faults[device] ? nil : invalid(address, $0) }
            return between(old?.published(device), new.published(device), of: address, isFirst: old == nil)
                + (fault.map { [$0] } ?? [])
        }
    }

    private static func between(
        _ old: PeerDevice?, _ new: PeerDevice?, of address: DeviceAddress, isFirst: Bool
    ) -> [PeerKeyNotice] {
        guard let new else { return old == nil ? [] : [.removed(address)] }
        var notices: [PeerKeyNotice] = []
        if let old, old.pinned != new.pinned { notices.append(.accepted(address, new.pinned)) }
        if let pending = new.pending {
            if old?.pending != pending { notices.append(.changed(address, from: new.pinned, to: pending)) }
        } else if old == nil, !isFirst {
            notices.append(.added(address))
        }
        return notices
    }
}
