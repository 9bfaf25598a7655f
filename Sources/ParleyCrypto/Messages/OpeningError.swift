/// Why a message could not be opened. An app can show it; it holds no secret.
public enum OpeningError: Error, Hashable, Sendable, CustomStringConvertible {
    /// A suite that this version does not know; no other is tried.
    case unknownSuite(String)
    /// A field is missing, or has a wrong length.
    case malformed
    /// Not sealed for this device: it, or its keys, were added later.
    case notForThisDevice
    /// The sender has not accepted this device's keys, and left it out.
    case leftOut
    /// No key of the other side is known: of the sending device, or, for this device's own message, of its recipients.
    case senderKeysUnknown
    /// The sending device or its key is new, and was not accepted yet.
    case senderKeyChanged
    /// The sending device is not certified by its user's account key.
    case senderNotCertified
    /// A key of low order, or a shared secret of zero.
    case weakKey
    /// Not sealed with the known keys under this header: changed, moved, or sealed for a key that is gone.
    case notAuthentic
    /// Opened, with the header of another message.
    case headerMismatch
    /// In the form of old apps, which authenticates no header, where that is not enough: a group's message, a change,
    /// or one of the user's own.
    case notBound
    /// Opened, with invalid content for its type.
    case badContent
    /// The same message came before, at another position of the conversation.
    case replayed
    /// No memory: another attempt may succeed.
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
        case .notBound: "not_bound"
        case .badContent: "bad_content"
        case .replayed: "replayed"
        case .unavailable: "unavailable"
        }
    }

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
        case .notBound: "in an old app's form, which proves nothing here"
        case .badContent: "what was sealed is not what its type should hold"
        case .replayed: "a copy of an earlier message"
        case .unavailable: "could not be opened now"
        }
    }
}
