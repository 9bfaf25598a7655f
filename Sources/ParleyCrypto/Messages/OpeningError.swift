/// Why a message could not be opened. An app can show it in the message's place; nothing in it is secret.
public enum OpeningError: Error, Hashable, Sendable {
    /// The suite is none that this version knows; opening tries no other.
    case unknownSuite(String)
    /// A field is missing, or has a length that it cannot have.
    case malformed
    /// The content was sealed for devices among which this one is not: it was added later, or its keys were.
    case notForThisDevice
    /// The sender has not accepted this device's keys, and has left it out.
    case leftOut
    /// No key is known of the other side: of the sending device, or, for a message of this device, of those for which
    /// it was sealed.
    case senderKeysUnknown
    /// The sending device's key is not the one that is known of it, or the device is new, and was not accepted yet.
    case senderKeyChanged
    /// The sending device is none that its user's account key has certified.
    case senderNotCertified
    /// A key of low order, or a shared secret of zero.
    case weakKey
    /// Nobody with the known keys sealed these bytes under this header: they were changed, moved, or sealed for a key
    /// that is no longer there.
    case notAuthentic
    /// It was opened, and holds the header of another message.
    case headerMismatch
    /// It was opened, and is not what its type should hold.
    case badContent
    /// The same message came before, at another place of the conversation.
    case replayed
    /// The system gave no memory for it: another attempt may succeed.
    case unavailable

    /// A stable name for programs.
    public var code: String {
        switch self {
        case .unknownSuite: "unknown_suite"
        case .malformed: "malformed"
        case .notForThisDevice: "not_for_this_device"
        case .leftOut: "left_out"
        case .senderKeysUnknown: "sender_keys_unknown"
        case .senderKeyChanged: "sender_key_changed"
        case .senderNotCertified: "sender_not_certified"
        case .weakKey: "weak_key"
        case .notAuthentic: "not_authentic"
        case .headerMismatch: "header_mismatch"
        case .badContent: "bad_content"
        case .replayed: "replayed"
        case .unavailable: "unavailable"
        }
    }
}

extension OpeningError: CustomStringConvertible {
    /// A sentence for people.
    public var description: String {
        switch self {
        case .unknownSuite(let name): "sealed with the suite \(name), which this version does not know"
        case .malformed: "the sealed message is not whole"
        case .notForThisDevice: "not sealed for this device"
        case .leftOut: "the sender has not accepted this device's keys"
        case .senderKeysUnknown: "the other device's keys are not known"
        case .senderKeyChanged: "the sending device's key has changed, or is new, and was not accepted"
        case .senderNotCertified: "the account key of the sender has not certified the sending device"
        case .weakKey: "sealed with a key that protects nothing"
        case .notAuthentic: "not what its sender sealed, or sealed for keys that are gone"
        case .headerMismatch: "sealed as another message than it is shown as"
        case .badContent: "what was sealed is not what its type should hold"
        case .replayed: "a copy of an earlier message"
        case .unavailable: "could not be opened now"
        }
    }
}
