import ParleyProtocol

/// Why an operation on the user's account key failed. Nothing was certified or changed.
public enum AccountError: Error, Hashable, Sendable, CaseIterable, CustomStringConvertible {
    /// This device lacks the account key: link it, or recover the account on it.
    case notLinked
    /// This device already holds the account key.
    case alreadyLinked
    /// The code names another user's device.
    case foreignCode
    /// The code names this device.
    case ownCode
    /// The gateway's offer of the device differs from the one that its code names.
    case offerDiffers
    /// The device has made no offer, or its ten minutes are over.
    case noOffer
    /// The offer has already been approved.
    case alreadyApproved
    /// The account key that was handed over, its certificate and this device's offer do not belong together.
    case forgedApproval
    /// The account key that was handed over has other digits.
    case otherDigits
    /// The user has no backup of the account key.
    case noBackup
    /// The backup was not made with this recovery key, or was changed.
    case wrongRecoveryKey

    /// A sentence for people.
    public var description: String {
        switch self {
        case .notLinked:
            "this device has not the account key: link it by another device of yours, or recover the account"
        case .alreadyLinked: "this device has the account key already"
        case .foreignCode: "the code is of another user's device"
        case .ownCode: "the code is this device's own: it is read on another device of yours"
        case .offerDiffers:
            "what the gateway says that the device has offered is not what its code names: nothing was certified"
        case .noOffer: "there is no offer of that device, or its ten minutes are over: let it make a new one"
        case .alreadyApproved: "that offer was approved before: let the device make a new one"
        case .forgedApproval:
            "what the gateway has handed over is no approval of this device by its user: it was refused"
        case .otherDigits:
            "the other device shows other digits: what was handed over is not its account key, and was refused"
        case .noBackup: "there is no backup of the account key"
        case .wrongRecoveryKey: "the backup was not made with this recovery key"
        }
    }
}
