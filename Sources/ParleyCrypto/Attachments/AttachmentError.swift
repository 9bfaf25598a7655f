/// Why an attachment could not be opened. An app can show it in the attachment's place; nothing in it is secret.
public enum AttachmentError: Error, Hashable, Sendable {
    /// What the message says of the attachment cannot be: a key or digest of another length, or a size that none has.
    case malformedSeal
    /// It ends before its last chunk.
    case truncated
    /// A chunk was changed, left out, repeated or moved, is of another attachment, or the key is not the message's.
    case notAuthentic
    /// Something follows its last chunk.
    case trailingBytes
    /// Whole and sealed with the key, but not the attachment that the message names: somebody else who has the key
    /// made it.
    case wrongDigest
    /// It holds more or less than the message says.
    case wrongSize

    /// A stable name for programs.
    public var code: String {
        switch self {
        case .malformedSeal: "malformed_seal"
        case .truncated: "truncated"
        case .notAuthentic: "not_authentic"
        case .trailingBytes: "trailing_bytes"
        case .wrongDigest: "wrong_digest"
        case .wrongSize: "wrong_size"
        }
    }
}

extension AttachmentError: CustomStringConvertible {
    /// A sentence for people.
    public var description: String {
        switch self {
        case .malformedSeal: "the message does not say how the attachment is sealed"
        case .truncated: "the attachment is not whole"
        case .notAuthentic: "the attachment is not what its sender sealed"
        case .trailingBytes: "something was added to the attachment"
        case .wrongDigest: "not the attachment that the message names"
        case .wrongSize: "the attachment has not the size that the message says"
        }
    }
}
