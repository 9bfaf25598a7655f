/// Why a message could not be sealed. Sealing the same again for the same recipients fails again, but with
/// `unavailable`.
public enum SealingError: Error, Hashable, Sendable {
    /// There is no device for which to seal it.
    case noRecipients
    /// More devices than `recipient_keys` holds.
    case tooManyRecipients(maximum: Int)
    /// The content is over what the suite leaves of 64 KiB, in bytes.
    case tooLarge(maximum: Int)
    /// `group-box` seals for devices by `recipient_keys` alone.
    case needsRecipientKeys
    /// A shared secret of zero.
    case weakKey
    /// The system gave no memory or no randomness.
    case unavailable
}

extension SealingError: CustomStringConvertible {
    /// A sentence for people.
    public var description: String {
        switch self {
        case .noRecipients: "there is no device for which to seal it"
        case .tooManyRecipients(let maximum): "more than \(maximum) devices to seal it for"
        case .tooLarge(let maximum): "more than \(maximum) bytes"
        case .needsRecipientKeys: "group-box seals for a list of devices"
        case .weakKey: "the other device's key protects nothing"
        case .unavailable: "the system gave no memory or no randomness"
        }
    }
}
