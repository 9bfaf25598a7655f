import ParleyCrypto
import ParleyProtocol

/// The keys by which a user was shown to the person: exactly those are accepted, and no others.
public struct ShownKeys: Hashable, Sendable {
    public enum Keys: Hashable, Sendable {
        /// The account key; the devices that it certifies are the user's.
        case account(AccountKey)
        /// The identity key of each device of a user without an account key.
        case devices([DeviceID: IdentityKey])
    }

    public let user: UserID
    public let keys: Keys
}

/// A safety number, and the other user's keys of which it was made.
public struct ShownNumber: Hashable, Sendable {
    public let number: SafetyNumber
    /// What ``MessagingClient/Keys/accept(_:)`` accepts once the number was compared.
    public let shown: ShownKeys
    /// Whether these keys are accepted already: there is nothing to accept.
    public let isAccepted: Bool
}
