import ParleyCrypto

extension Attachment {
    /// A file that was sealed by `AttachmentFile` or `AttachmentCipher`.
    public init(url: String? = nil, seal: AttachmentSeal, name: String, mimeType: String) {
        self.init(url: url, key: seal.key, digest: seal.digest, size: seal.size, name: name, mimeType: mimeType)
    }

    /// The key, digest and size that open it.
    ///
    /// - Throws: `AttachmentError.malformedSeal` if one of them is impossible.
    public var seal: AttachmentSeal {
        get throws(AttachmentError) { try AttachmentSeal(key: key, digest: digest, size: size) }
    }
}
