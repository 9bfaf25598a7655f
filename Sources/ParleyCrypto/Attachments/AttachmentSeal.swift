import Sodium

/// The key, digest and size of an attachment, in the message (protocol §6, "Content").
///
/// `key` is a secret: it belongs in sealed content and nowhere else.
public struct AttachmentSeal: Hashable, Sendable, CustomStringConvertible, CustomReflectable {
    public static let keyLength = 32
    public static let digestLength = 32
    /// The largest attachment, in bytes: 1 TiB.
    public static let maximumSize = 1 << 40

    /// 32 random bytes, for this attachment only.
    public let key: [UInt8]
    /// SHA-256 of the sealed bytes, so that a server can check them without the key.
    public let digest: [UInt8]
    /// The size before sealing, in bytes.
    public let size: Int

    /// - Throws: `AttachmentError.malformedSeal` unless key and digest have 32 bytes and the size is in bounds.
    public init(key: [UInt8], digest: [UInt8], size: Int) throws(AttachmentError) {
        guard key.count == Self.keyLength, digest.count == Self.digestLength, (0...Self.maximumSize).contains(size)
        else { throw .malformedSeal }
        self.key = key
        self.digest = digest
        self.size = size
    }

    /// The sealed size in bytes: the header, and 17 more for each chunk of 64 KiB.
    public var sealedSize: Int {
        let chunks = max(1, (size + AttachmentCipher.chunkLength - 1) / AttachmentCipher.chunkLength)
        return SecretStream.headerLength + size + chunks * SecretStream.chunkOverhead
    }

    public var description: String { "AttachmentSeal(\(size) bytes)" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
