public struct BlobID: UUIDIdentifier {
    public let value: UUIDValue
    public init(_ value: UUIDValue) { self.value = value }
}

/// The SHA-256 of a blob's sealed bytes.
public struct BlobDigest: Hashable, Sendable {
    public static let length = 32

    public let bytes: [UInt8]

    /// - Returns: `nil` unless there are 32 bytes.
    public init?(_ bytes: [UInt8]) {
        guard bytes.count == BlobDigest.length else { return nil }
        self.bytes = bytes
    }
}

extension BlobDigest: JSONReadable {
    public func write(to writer: inout JSONWriter) { writer.quoted { Base64.append(bytes, to: &$0) } }

    public static func read(_ name: String, of object: JSONObject) throws(Rejection) -> BlobDigest? {
        try object.base64(name, lengths: length...length).flatMap { BlobDigest($0) }
    }

    public static var schema: FieldSchema { .base64(length...length) }
}

/// Sealed bytes of any kind that belong to a conversation: the `data` of the replies to `blobs/create` and `blobs/get`.
public struct Blob: GatewayObject {
    public let id: BlobID
    public let conversation: ConversationID
    /// Of the sealed bytes.
    public let size: Int
    public let digest: BlobDigest
    public let createdAt: Timestamp
    /// `nil` once a message that does not disappear names it.
    public let expiresAt: Timestamp?

    public init(
        id: BlobID, conversation: ConversationID, size: Int, digest: BlobDigest, createdAt: Timestamp,
        expiresAt: Timestamp?
    ) {
        (self.id, self.conversation, self.size, self.digest) = (id, conversation, size, digest)
        (self.createdAt, self.expiresAt) = (createdAt, expiresAt)
    }

    package init<Pass: FieldPass<Blob>>(fields pass: inout Pass) throws(Pass.Failure) {
        id = try pass.required("id", \.id)
        conversation = try pass.required("conversation_id", \.conversation)
        size = try pass.required("size", \.size, as: .integer(Limits.blobBytes))
        digest = try pass.required("digest", \.digest)
        createdAt = try pass.required("created_at", \.createdAt)
        expiresAt = try pass.optional("expires_at", \.expiresAt)
    }
}

/// The blobs that a message names, each once.
struct MessageBlobsForm: FieldForm {
    func read(_ name: String, of object: JSONObject) throws(Rejection) -> [BlobID]? {
        guard let blobs: [BlobID] = try object.uuids(name, maximum: Limits.blobsOfMessage) else { return nil }
        guard Set(blobs).count == blobs.count else { throw .badRequest(name, "a blob is named twice") }
        return blobs
    }

    func write(_ value: [BlobID], to writer: inout JSONWriter) { writer.array(value) { $1.write(to: &$0) } }

    var schema: FieldSchema { .array(BlobID.schema, 0...Limits.blobsOfMessage) }
}
