import ParleyProtocol

/// A file that was encrypted by itself: where it lies, and what opens it (protocol §6).
public struct Attachment: Hashable, Sendable {
    /// Where the encrypted file can be had; `nil` until it was uploaded.
    public var url: String?
    /// The key of the encrypted file, 32 bytes. Secret.
    public var key: [UInt8]
    /// What the encrypted file must hash to, 32 bytes.
    public var digest: [UInt8]
    /// Of the file as it was before it was encrypted, in bytes.
    public var size: Int
    /// What its sender called it: to be shown, and never to be used as a path.
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
}

extension Attachment: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Without the key, so that no log can hold it.
    public var description: String { "\(name) (\(mimeType), \(size) bytes)" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(reflecting: description) }
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
