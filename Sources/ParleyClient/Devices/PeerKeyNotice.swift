import ParleyCrypto
import ParleyProtocol

/// What has become of the keys of others, or of one's own user's devices. Each is reported once.
public enum PeerKeyNotice: Hashable, Sendable {
    /// A user was seen for the first time. What was listed then is trusted.
    case met(UserID, hasAccountKey: Bool)
    /// A device of a user who was known before is sealed for from now on.
    case deviceAdded(DeviceAddress)
    /// The user's account key has certified new keys of a known device, which is sealed for with them.
    case deviceRenewed(DeviceAddress)
    /// A device is no longer listed, and gets nothing that is sent from now on.
    case deviceRemoved(DeviceAddress)
    /// What is listed of a device is not used: nothing is sealed for it.
    case deviceIgnored(DeviceAddress, UnusableKeyError)
    /// A device of a user without an account key is new, or has another key: nothing is sealed for it until it is
    /// accepted.
    case deviceHeld(DeviceAddress, isNew: Bool)
    /// A device of one's own user that no other device of theirs has linked. Nothing is sealed for it.
    case ownDeviceNotLinked(DeviceAddress)
    /// The gateway lists another account key of a user: nothing is sealed for them until it is accepted.
    case accountKeyChanged(UserID, wasVerified: Bool)
    /// The gateway lists no account key of a user who had one: nothing is sealed for them until that is accepted.
    case accountKeyGone(UserID, wasVerified: Bool)
    /// A user who had none has an account key. Until it is accepted their pinned devices go on as they are.
    case accountKeyAppeared(UserID)
    /// What was listed of a user was accepted, in this process or in another one of the same device.
    case accepted(UserID)
    /// The person has compared the user's account key.
    case verified(UserID)
    /// The gateway has a new device of one's own user, which has no keys yet.
    case ownDeviceMade(DeviceAddress)
    /// The user has an account key, and it has not certified this device.
    case thisDeviceNotLinked(DeviceAddress)
    /// The gateway has another account key of one's own user than this device knows, or lists none.
    case ownAccountKeyRefused(UserID)
}

extension PeerKeyNotice: CustomStringConvertible {
    /// A sentence for people, without an end.
    public var description: String {
        switch self {
        case .met(let user, hasAccountKey: _):
            "\(user) is new to this device; only comparing the safety number shows whether the keys are theirs, or the "
                + "gateway's own"
        case .deviceAdded(let device): "the device \(device) was added, and gets what is sent from now on"
        case .deviceRenewed(let device):
            "the device \(device) has new keys, which the account key of \(device.user) certifies"
        case .deviceRemoved(let device): "the device \(device) was removed, and gets nothing that is sent from now on"
        case .deviceIgnored(let device, let fault): "the device \(device) gets nothing: \(fault)"
        case .deviceHeld(let device, isNew: true):
            "the device \(device) is new, and gets nothing until it is accepted"
        case .deviceHeld(let device, isNew: false): "the key of \(device) has changed, and was not accepted"
        case .ownDeviceNotLinked(let device):
            "WARNING: \(device) is listed as a device of your own, and none of your devices has linked it; it gets "
                + "nothing. If it is not yours, somebody pretends to be you"
        case .accountKeyChanged(let user, let wasVerified):
            "the account key of \(user)\(PeerKeyNotice.verified(wasVerified)) has changed, and was not accepted"
        case .accountKeyGone(let user, let wasVerified):
            "the account key of \(user)\(PeerKeyNotice.verified(wasVerified)) is gone, which was not accepted"
        case .accountKeyAppeared(let user):
            "\(user) has an account key now; until it is accepted the devices that are known go on"
        case .accepted(let user): "the keys of \(user) were accepted"
        case .verified(let user): "the account key of \(user) was compared, and is verified"
        case .ownDeviceMade(let device): "a device of your own was made: \(device)"
        case .thisDeviceNotLinked(let device):
            "\(device) is to be linked by one of your other devices; until then others seal nothing for it"
        case .ownAccountKeyRefused(let user):
            "WARNING: the gateway does not list the account key by which this device knows \(user), which is you; if you "
                + "have not made a new one, somebody pretends to be you"
        }
    }

    private static func verified(_ wasVerified: Bool) -> String { wasVerified ? ", which you had compared," : "" }

    /// Whose keys these are.
    public var user: UserID {
        switch self {
        case .met(let user, _), .accountKeyChanged(let user, _), .accountKeyGone(let user, _),
            .accountKeyAppeared(let user), .accepted(let user), .verified(let user), .ownAccountKeyRefused(let user):
            user
        case .deviceAdded(let device), .deviceRenewed(let device), .deviceRemoved(let device),
            .deviceIgnored(let device, _), .deviceHeld(let device, _), .ownDeviceNotLinked(let device),
            .ownDeviceMade(let device), .thisDeviceNotLinked(let device):
            device.user
        }
    }

    /// Whether somebody may be pretending to be somebody.
    public var isWarning: Bool {
        switch self {
        case .deviceHeld, .accountKeyChanged, .accountKeyGone, .deviceIgnored, .ownDeviceNotLinked,
            .ownAccountKeyRefused:
            true
        case .met, .deviceAdded, .deviceRenewed, .deviceRemoved, .accountKeyAppeared, .accepted, .verified,
            .ownDeviceMade, .thisDeviceNotLinked:
            false
        }
    }

    /// Whether the person is to compare the user's safety number and accept.
    public var asksToAccept: Bool {
        switch self {
        case .deviceHeld, .accountKeyChanged, .accountKeyGone, .accountKeyAppeared: true
        case .met, .deviceAdded, .deviceRenewed, .deviceRemoved, .deviceIgnored, .ownDeviceNotLinked, .accepted,
            .verified, .ownDeviceMade, .thisDeviceNotLinked, .ownAccountKeyRefused:
            false
        }
    }
}
