import ParleyProtocol

/// An encrypted file: its URL, and the key that opens it (protocol §6).
public struct Attachment: Hashable, Sendable, PrintedWithoutContent {
    /// The URL of the encrypted file; `nil` before the upload.
    public var url: String?
    /// 32 bytes. Secret.
    public var key: [UInt8]
    /// The SHA-256 of the encrypted file, 32 bytes.
    public var digest: [UInt8]
    /// The size before encryption, in bytes.
    public var size: Int
    /// The sender's name of it: for display only, never a path.
    public var name: String
    public var mimeType: String

    public static let keyLength = 32
    public static let digestLength = 32

    public init(url: String? = nil, key: [UInt8], digest: [UInt8], size: Int, name: String, mimeType: String) {
        self.url = url
        self.key = key
        self.digest = digest
        self.size = size
        self.name = name
        self.mimeType = mimeType
    }

    /// The gateway's blob that its URL names; `nil` for any other address, which a client shows and never asks.
    public var blob: BlobID? {
        guard let url, let last = url.split(separator: "/").last, let blob = BlobID(String(last)),
            url == BlobRequests.path(of: blob)
        else { return nil }
        return blob
    }

    /// Without its name, its key and where it is.
    public var description: String { "a file of \(size) bytes" }
}

extension Attachment: GatewayObject {
    package init<Pass: FieldPass<Attachment>>(fields pass: inout Pass) throws(Pass.Failure) {
        url = try pass.optional("url", \.url, as: .text(Limits.urlBytes), without: .omitted)
        key = try pass.required("key", \.key, as: .base64(Attachment.keyLength))
        digest = try pass.required("digest", \.digest, as: .base64(Attachment.digestLength))
        size = try pass.required("size", \.size, as: .count)
        name = try pass.required("name", \.name, as: .text(MessageContent.longestName))
        mimeType = try pass.required("mime_type", \.mimeType, as: .text(MessageContent.longestName))
    }
}
