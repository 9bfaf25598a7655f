import ParleyCrypto
import ParleyProtocol

/// A change of the keys of another user, or of the user's own devices. Each is reported once.
public enum PeerKeyNotice: Hashable, Sendable, CustomStringConvertible {
    /// A user was seen for the first time, and the listed keys are trusted.
    case met(UserID, hasAccountKey: Bool)
    /// A known user's new device gets messages from now on.
    case deviceAdded(DeviceAddress)
    /// The user's account key has certified new keys of a known device, which are used from now on.
    case deviceRenewed(DeviceAddress)
    /// A device is no longer listed, and gets no new messages.
    case deviceRemoved(DeviceAddress)
    /// A listed device is ignored: nothing is sealed for it.
    case deviceIgnored(DeviceAddress, UnusableKeyError)
    /// A device of a user without an account key is new, or has another key: nothing is sealed for it before it is
    /// accepted.
    case deviceHeld(DeviceAddress, isNew: Bool)
    /// A device of the user that none of their devices has linked. Nothing is sealed for it.
    case ownDeviceNotLinked(DeviceAddress)
    /// The gateway lists another account key: nothing is sealed for the user before it is accepted.
    case accountKeyChanged(UserID, wasVerified: Bool)
    /// The gateway no longer lists the user's account key: nothing is sealed for them before that is accepted.
    case accountKeyGone(UserID, wasVerified: Bool)
    /// A user without an account key has one now. Until it is accepted their pinned devices still count.
    case accountKeyAppeared(UserID)
    /// The listed keys of a user were accepted, in any process of this device.
    case accepted(UserID)
    /// The person has compared the user's account key.
    case verified(UserID)
    /// The gateway has a new device of the user, without keys so far.
    case ownDeviceMade(DeviceAddress)
    /// The user's account key has not certified this device.
    case thisDeviceNotLinked(DeviceAddress)
    /// The gateway lists another account key of the user than this device knows, or none.
    case ownAccountKeyRefused(UserID)

    /// A sentence for people, without a full stop.
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

    /// Whether it may be an impersonation.
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

    /// Whether the person should compare the safety number and accept.
    public var asksToAccept: Bool {
        switch self {
        case .deviceHeld, .accountKeyChanged, .accountKeyGone, .accountKeyAppeared: true
        case .met, .deviceAdded, .deviceRenewed, .deviceRemoved, .deviceIgnored, .ownDeviceNotLinked, .accepted,
            .verified, .ownDeviceMade, .thisDeviceNotLinked, .ownAccountKeyRefused:
            false
        }
    }
}
