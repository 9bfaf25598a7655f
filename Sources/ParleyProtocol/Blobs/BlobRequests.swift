/// `blobs/create`: announces a blob for a conversation. Its bytes go to a web door; the gateway never sees them.
public struct CreateBlob: RepeatableCommand {
    public static let operation = Operation(validatedArea: "blobs", verb: "create")
    package static let refusalOfOperators: String? = "An operator shares no files."
    public typealias Reply = Blob

    public let id: BlobID
    public let conversation: ConversationID
    /// Of the sealed bytes.
    public let size: Int
    public let digest: BlobDigest

    public init(id: BlobID, conversation: ConversationID, size: Int, digest: BlobDigest) {
        (self.id, self.conversation, self.size, self.digest) = (id, conversation, size, digest)
    }

    package init<Pass: FieldPass<CreateBlob>>(fields pass: inout Pass) throws(Pass.Failure) {
        id = try pass.required("id", \.id)
        conversation = try pass.required("conversation_id", \.conversation)
        size = try pass.required("size", \.size, as: .integer(Limits.blobBytes))
        digest = try pass.required("digest", \.digest)
    }

    package func identityPreimage(sender: DeviceAddress) -> [UInt8] {
        IdentityPreimage(of: sender).field(conversation).field(size).field(digest.bytes).bytes
    }
}

/// `blobs/get`: for its maker, and for everyone who may read the message that names it.
public struct GetBlob: Query, IDRequest {
    public static let operation = Operation(validatedArea: "blobs", verb: "get")
    package static let refusalOfOperators: String? = "An operator reads no files."
    public typealias Reply = Blob

    public let id: BlobID

    public init(id: BlobID) { self.id = id }
}

/// `blobs/delete`: by its maker, while no message names it.
public struct DeleteBlob: Command, IDRequest {
    public static let operation = Operation(validatedArea: "blobs", verb: "delete")
    package static let refusalOfOperators: String? = "An operator shares no files."

    public let id: BlobID

    public init(id: BlobID) { self.id = id }
}

/// `blobs/collect`: a web door compares its files with the gateway's blobs.
public struct CollectBlobs: Command {
    public static let operation = Operation(validatedArea: "blobs", verb: "collect")
    package static let askers = Askers.doorsAlone
    public typealias Reply = BlobCollection

    /// Of files that the door has.
    public let known: [BlobID]
    /// Of files that the door has removed: the gateway forgets those that are gone.
    public let removed: [BlobID]

    public init(known: [BlobID] = [], removed: [BlobID] = []) { (self.known, self.removed) = (known, removed) }

    package init<Pass: FieldPass<CollectBlobs>>(fields pass: inout Pass) throws(Pass.Failure) {
        let ids = UUIDsForm<BlobID>(maximum: Limits.collectedBlobs)
        known = try pass.optional("known", { $0.known.isEmpty ? nil : $0.known }, as: ids) ?? []
        removed = try pass.optional("removed", { $0.removed.isEmpty ? nil : $0.removed }, as: ids) ?? []
    }
}

/// The `data` of the reply to `blobs/collect`.
public struct BlobCollection: GatewayObject {
    /// The door is to remove the files of these.
    public let gone: [BlobID]
    /// Those of the known that the gateway does not know.
    public let unknown: [BlobID]

    public init(gone: [BlobID], unknown: [BlobID]) { (self.gone, self.unknown) = (gone, unknown) }

    package init<Pass: FieldPass<BlobCollection>>(fields pass: inout Pass) throws(Pass.Failure) {
        gone = try pass.required("gone", \.gone, as: .uuids())
        unknown = try pass.required("unknown", \.unknown, as: .uuids())
    }
}
