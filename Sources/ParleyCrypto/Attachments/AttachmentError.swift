/// Why an attachment could not be opened. An app can show it; it holds no secret.
public enum AttachmentError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The message's data of the attachment is invalid: the length of key or digest, or the size.
    case malformedSeal
    /// It ends before its last chunk.
    case truncated
    /// A chunk was changed, dropped, repeated or moved, is of another attachment, or the key is wrong.
    case notAuthentic
    /// Something follows its last chunk.
    case trailingBytes
    /// Sealed with the key, but not the attachment that the message names: another holder of the key made it.
    case wrongDigest
    /// Its size is not the one in the message.
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
