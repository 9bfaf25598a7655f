/// Why a message could not be sealed. Only after `unavailable` can another attempt succeed.
public enum SealingError: Error, Hashable, Sendable, CustomStringConvertible {
    case noRecipients
    /// More devices than `recipient_keys` can hold.
    case tooManyRecipients(maximum: Int)
    /// The content is over the suite's maximum, in bytes.
    case tooLarge(maximum: Int)
    /// `group-box` needs `recipient_keys`.
    case needsRecipientKeys
    /// A shared secret of zero.
    case weakKey
    /// No memory or randomness.
    case unavailable

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
