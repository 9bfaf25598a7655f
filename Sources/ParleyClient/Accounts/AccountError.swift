import ParleyProtocol

/// Why something about the user's account key was not done. Nothing was certified or changed then.
public enum AccountError: Error, Hashable, Sendable, CaseIterable {
    /// This device has not the account key: it is to be linked itself, or the account recovered on it.
    case notLinked
    /// This device has the account key already.
    case alreadyLinked
    /// The code is of another user's device.
    case foreignCode
    /// The code is this device's own.
    case ownCode
    /// What the gateway says that the device has offered is not what its code names.
    case offerDiffers
    /// There is no offer of this device, or its ten minutes are over.
    case noOffer
    /// The offer was approved before.
    case alreadyApproved
    /// The account key that was handed over, its certificate and what this device has offered do not belong together.
    case forgedApproval
    /// The digits are not those of the account key that was handed over.
    case otherDigits
    /// The user has no backup of the account key.
    case noBackup
    /// The backup was not made with this recovery key, or was changed.
    case wrongRecoveryKey
}

extension AccountError: CustomStringConvertible {
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
