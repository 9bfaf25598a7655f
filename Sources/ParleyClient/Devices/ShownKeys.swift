import ParleyCrypto
import ParleyProtocol

/// The keys that the person was shown of a user: exactly these are accepted.
public struct ShownKeys: Hashable, Sendable {
    public enum Keys: Hashable, Sendable {
        /// The account key, which certifies the user's devices.
        case account(AccountKey)
        /// The identity keys of a user without an account key.
        case devices([DeviceID: IdentityKey])
    }

    public let user: UserID
    public let keys: Keys
}

/// A safety number, and the other user's keys in it.
public struct ShownNumber: Hashable, Sendable {
    public let number: SafetyNumber
    /// The keys for ``MessagingClient/Keys/accept(_:)`` after the comparison.
    public let shown: ShownKeys
    /// Whether these keys are accepted already.
    public let isAccepted: Bool
}
