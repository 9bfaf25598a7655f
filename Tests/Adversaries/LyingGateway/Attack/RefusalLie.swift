import ParleyProtocol

/// Lies in `stale_devices`, the answer that says whom a message is to be sealed for.
package enum RefusalLie: String, LieFamily {
    case namesGhost, namesStranger, leavesOutHonest, withoutEnd

    package var sentence: String {
        switch self {
        case .namesGhost: "stale_devices says that a device is missing which nobody has certified"
        case .namesStranger: "stale_devices says that mallory's device is missing, who is no member"
        case .leavesOutHonest: "stale_devices says that the phone is none, and that another device is"
        case .withoutEnd: "stale_devices answers every message"
        }
    }

    package var moments: [Lie.Moment] {
        switch self {
        case .namesGhost, .leavesOutHonest: [.beforeFirstContact, .betweenSends, .beforeAccepting]
        case .namesStranger, .withoutEnd: [.beforeFirstContact, .betweenSends]
        }
    }

    package var scenes: [Lie.Scene] { [.certified, .uncertified] }
}

extension World {
    /// What a message is refused with, were it sealed for whom it should.
    mutating func falseDifference(
        _ sealed: SealedContent, about partner: UserID?
    ) -> Rejection.DeviceDifference? {
        guard let partner else { return nil }
        let stranger = DeviceAddress(user: Attacker.user, device: Attacker.device)
        if tells(.refusal(.withoutEnd), about: partner) {
            return .init(missing: [DeviceAddress(user: partner, device: Person.phone)], extra: [])
        }
        if tells(.refusal(.namesStranger), about: partner),
            sealed.recipientKeys?.contains(where: { $0.address == stranger }) != true
        {
            return .init(missing: [stranger], extra: [])
        }
        if tells(.conversation(.thirdAfterRefusal), about: partner), refusesOnce.remove(partner) != nil {
            return .init(missing: [stranger], extra: [])
        }
        return nil
    }
}
