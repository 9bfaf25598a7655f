import ParleyCrypto
import ParleyProtocol

extension PeerKeyNotice {
    /// The changes between two states of a user: first the user's own, then the devices' in order.
    ///
    /// - Parameters:
    ///   - old: `nil` for an unknown user.
    ///   - isOwn: whether it is the user of this device.
    static func between(_ old: PeerUser?, _ new: PeerUser, of user: UserID, isOwn: Bool) -> [PeerKeyNotice] {
        guard old != new, new.listing != nil else { return [] }
        let old = old ?? PeerUser()
        let step = Step(old: old, new: new, user: user, isOwn: isOwn)
        return step.ofUser() + step.ofDevices()
    }
}

private struct Step {
    let old: PeerUser
    let new: PeerUser
    let user: UserID
    let isOwn: Bool

    private var isFirst: Bool { !old.isPinned }

    /// Whether the person has accepted the listing: changes of single devices are not reported then.
    private var wasAccepted: Bool {
        guard !isFirst, old.listing != nil else { return false }
        if old.anchor != new.anchor { return true }
        return new.anchor == nil
            && old.statuses.contains { id, status in
                guard case .held(let key) = status else { return false }
                return new.pins[id]?.key == key
            }
    }

    func ofUser() -> [PeerKeyNotice] {
        var notices: [PeerKeyNotice] = []
        if isFirst, new.isPinned, !isOwn { notices.append(.met(user, hasAccountKey: new.anchor != nil)) }
        if wasAccepted { notices.append(.accepted(user)) }
        if new.isVerified, !old.isVerified || old.anchor != new.anchor { notices.append(.verified(user)) }
        if let hold = new.hold, hold != old.hold {
            switch hold {
            case .otherAccount where isOwn, .noAccount where isOwn: notices.append(.ownAccountKeyRefused(user))
            case .otherAccount: notices.append(.accountKeyChanged(user, wasVerified: new.isVerified))
            case .noAccount: notices.append(.accountKeyGone(user, wasVerified: new.isVerified))
            }
        }
        if let account = new.appearedAccount, account != old.appearedAccount {
            notices.append(.accountKeyAppeared(user))
        }
        return notices
    }

    func ofDevices() -> [PeerKeyNotice] {
        let ids = Set(old.listing.map { Array($0.devices.keys) } ?? [])
            .union(new.listing.map { Array($0.devices.keys) } ?? [])
        return ids.sorted().compactMap(notice)
    }

    private func notice(of id: DeviceID) -> PeerKeyNotice? {
        let address = DeviceAddress(user: user, device: id)
        let (before, after) = (old.status(of: id), new.status(of: id))
        guard before != after else { return nil }
        switch after {
        case nil:
            if case .recipient? = before { return .deviceRemoved(address) }
            return nil
        case .recipient(let key):
            return wasAccepted ? nil : recipientNotice(address, key, before)
        case .held:
            guard new.hold == nil else { return nil }
            let isNew = new.pins[id] == nil
            return isOwn && isNew ? .ownDeviceNotLinked(address) : .deviceHeld(address, isNew: isNew)
        case .ignored(.uncertified) where isOwn:
            return .ownDeviceNotLinked(address)
        case .ignored(let fault):
            return .deviceIgnored(address, fault)
        }
    }

    /// A device has become a recipient, or has another key.
    private func recipientNotice(_ address: DeviceAddress, _ key: IdentityKey, _ before: PeerUser.Status?)
        -> PeerKeyNotice?
    {
        // The first devices are part of meeting the user. The user's own are reported all the same.
        guard !isFirst || isOwn else { return nil }
        guard let pin = old.pins[address.device] else { return .deviceAdded(address) }
        guard pin.key == key else { return .deviceRenewed(address) }
        // A device that was only held was never gone.
        if case .held? = before { return nil }
        return .deviceAdded(address)
    }
}
