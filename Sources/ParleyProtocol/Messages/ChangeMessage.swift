/// A change to a message, itself a record of the log: what `messages/edit`, `messages/delete` and `messages/react` ask
/// for.
public struct ChangeMessage: Hashable, Sendable {
    public enum Change: Hashable, Sendable {
        /// The new text.
        case edit(SealedContent)
        /// For everybody.
        case delete
        /// The sealed reaction; an empty one inside removes the sender's reaction.
        case react(SealedContent)
    }

    /// Of this change.
    public let id: MessageID
    public let conversation: ConversationID
    /// The message that is changed.
    public let message: MessageID
    public let change: Change

    public init(id: MessageID, conversation: ConversationID, message: MessageID, change: Change) {
        self.id = id
        self.conversation = conversation
        self.message = message
        self.change = change
    }

    /// What kind of record the change becomes.
    public var kind: RecordKind {
        switch change {
        case .edit: .edit
        case .delete: .delete
        case .react: .reaction
        }
    }

    public var sealed: SealedContent? {
        switch change {
        case .edit(let sealed), .react(let sealed): sealed
        case .delete: nil
        }
    }

    init(_ object: JSONObject, change read: (JSONObject) throws(Rejection) -> Change) throws(Rejection) {
        id = try object.uuid("id").required("id")
        conversation = try object.uuid("conversation_id").required("conversation_id")
        message = try object.uuid("message_id").required("message_id")
        change = try read(object)
    }

    func writeFields(to object: inout JSONWriter) {
        object.member("id", id)
        object.member("conversation_id", conversation)
        object.member("message_id", message)
        sealed?.writeFields(to: &object)
    }

    /// What makes two requests the same (protocol §4); sender and device are part of it.
    public func identityPreimage(sender: DeviceAddress) -> [UInt8] {
        var preimage = IdentityPreimage(reserving: (sealed?.content.count ?? 0) + 192)
        preimage.field(sender.user.text.utf8)
        preimage.field(sender.device.text.utf8)
        preimage.field(conversation.value.bytes)
        preimage.field(kind.rawValue.utf8)
        preimage.field(message.value.bytes)
        if let sealed {
            preimage.field(sealed.suite.rawValue.utf8)
            preimage.field(sealed.content)
            preimage.field(sealed.nonce)
            preimage.field(sealed.recipientKeys.map(RecipientKey.json) ?? [])
            if let keyID = sealed.recipientKeyID { preimage.field(keyID.bytes) }
        }
        return preimage.bytes
    }
}

/// The bytes that a request's digest is made of: each field with its 32-bit big-endian length before it.
struct IdentityPreimage {
    private(set) var bytes: [UInt8] = []

    init(reserving count: Int) { bytes.reserveCapacity(count) }

    mutating func field(_ part: some Collection<UInt8>) {
        for shift in [24, 16, 8, 0] { bytes.append(UInt8(truncatingIfNeeded: part.count >> shift)) }
        bytes.append(contentsOf: part)
    }
}
