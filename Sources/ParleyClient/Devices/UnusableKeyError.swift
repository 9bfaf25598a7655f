/// Why the keys that are listed of a device are not used: nothing is sealed for it.
public enum UnusableKeyError: UInt8, Error, Hashable, Sendable, CaseIterable, CustomStringConvertible {
    /// The identity key is none, or is of low order and would protect nothing.
    case weakKey = 1
    /// There is a signature, and it is not one of these keys by the signing key beside them.
    case badSignature = 2
    /// The device is listed twice, with different keys.
    case listedTwice = 3
    /// The user has an account key, and it has not certified these keys.
    case uncertified = 4
    /// The account key has certified these keys, and others later.
    case outdated = 5
    /// The user has had more devices than are remembered.
    case tooManyDevices = 6

    /// What is said of the device.
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
