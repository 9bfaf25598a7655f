/// Why a listed device is ignored: nothing is sealed for it.
public enum UnusableKeyError: UInt8, Error, Hashable, Sendable, CaseIterable, CustomStringConvertible {
    /// The identity key is invalid, or of low order, so that it protects nothing.
    case weakKey = 1
    /// The signature is not one of the listed signing key over these keys.
    case badSignature = 2
    /// The device is listed twice, with different keys.
    case listedTwice = 3
    /// The user's account key has not certified these keys.
    case uncertified = 4
    /// The account key has certified other keys later.
    case outdated = 5
    /// The user has had more devices than are pinned.
    case tooManyDevices = 6

    /// A clause about the device.
    public var description: String {
        switch self {
        case .weakKey: "its key protects nothing"
        case .badSignature: "its key is not signed by the device that published it"
        case .listedTwice: "it is listed twice, with different keys"
        case .uncertified: "the account key has not certified it"
        case .outdated: "the account key has certified later keys of it"
        case .tooManyDevices: "its user has had too many devices"
        }
    }
}
