/// `messages/send`: a sealed message for a conversation.
public struct SendMessage: Command {
    public static let operation = Operation(validatedArea: "messages", verb: "send")
    public static let fields =
        "id, conversation_id, message_type, suite, encrypted_content, nonce, recipient_keys?, recipient_key_id?, "
        + "reply_to?, expires_in?, reply?, is_urgent?"
    public typealias Reply = SentMessage

    public let id: MessageID
    public let conversation: ConversationID
    public let type: MessageType
    public let suite: Suite
    /// The ciphertext, 16 bytes to 64 KiB.
    public let content: [UInt8]
    /// Its length depends on the suite.
    public let nonce: [UInt8]
    public let recipientKeys: [RecipientKey]?
    /// Of the identity key that it was sealed for, without `recipient_keys`.
    public let recipientKeyID: KeyID?
    public let replyTo: MessageID?
    /// In whole seconds, from when the gateway has it.
    public let expiresIn: Int?
    /// The sender's own `message.new` is the reply (`"reply":"event"`).
    public let echoIsReply: Bool
    /// Whether those who are to be notified are notified in their quiet hours too. Nothing else follows from it, and it is not
    /// stored with the message.
    public let isUrgent: Bool

    public init(
        id: MessageID, conversation: ConversationID, type: MessageType.Sendable, suite: Suite, content: [UInt8],
        nonce: [UInt8], recipientKeys: [RecipientKey]? = nil, recipientKeyID: KeyID? = nil, replyTo: MessageID? = nil,
        expiresIn: Int? = nil,
        echoIsReply: Bool = false, isUrgent: Bool = false
    ) {
        self.id = id
        self.conversation = conversation
        self.type = type.type
        self.suite = suite
        self.content = content
        self.nonce = nonce
        self.recipientKeys = recipientKeys
        self.recipientKeyID = recipientKeyID
        self.replyTo = replyTo
        self.expiresIn = expiresIn
        self.echoIsReply = echoIsReply
        self.isUrgent = isUrgent
    }

    private enum ReplyForm: String, CaseIterable {
        case event, message
    }

    public init(_ object: JSONObject) throws(Rejection) {
        id = try object.uuid("id").required("id")
        conversation = try object.uuid("conversation_id").required("conversation_id")
        type = try object.choice("message_type", as: MessageType.Sendable.self).required("message_type").type
        let sealed = try SealedContent(object)
        (suite, content, nonce) = (sealed.suite, sealed.content, sealed.nonce)
        (recipientKeys, recipientKeyID) = (sealed.recipientKeys, sealed.recipientKeyID)
        replyTo = try object.uuid("reply_to")
        expiresIn = try object.integer("expires_in", in: Limits.expirySeconds)
        echoIsReply = try object.choice("reply", as: ReplyForm.self) == .event
        isUrgent = try object.bool("is_urgent") ?? false
    }

    /// The ciphertext with what is needed to open it.
    public var sealed: SealedContent {
        SealedContent(
            suite: suite, content: content, nonce: nonce, recipientKeys: recipientKeys, recipientKeyID: recipientKeyID)
    }

    public func writeFields(to object: inout JSONWriter) {
        object.member("id", id)
        object.member("conversation_id", conversation)
        object.member("message_type", type.rawValue)
        sealed.writeFields(to: &object)
        if let replyTo { object.member("reply_to", replyTo) }
        if let expiresIn { object.member("expires_in", expiresIn) }
        if echoIsReply { object.member("reply", ReplyForm.event.rawValue) }
        if isUrgent { object.member("is_urgent", true) }
    }

    /// What makes two requests the same (protocol §4): everything but how the reply is wanted and whether it is urgent. Sender and device are
    /// part of it. The digest of these bytes is stored, so that a repeat is recognized even when the ciphertext is gone.
    public func identityPreimage(sender: DeviceAddress) -> [UInt8] {
        var preimage = IdentityPreimage(reserving: content.count + 192)
        preimage.field(sender.user.text.utf8)
        preimage.field(sender.device.text.utf8)
        preimage.field(conversation.value.bytes)
        preimage.field(type.rawValue.utf8)
        preimage.field(suite.rawValue.utf8)
        preimage.field(content)
        preimage.field(nonce)
        preimage.field(recipientKeys.map(RecipientKey.json) ?? [])
        preimage.field(replyTo?.value.bytes ?? [])
        preimage.field(expiresIn.map { Array(String($0).utf8) } ?? [])
        if let recipientKeyID { preimage.field(recipientKeyID.bytes) }
        return preimage.bytes
    }

    /// When it disappears, if it does.
    public func expiry(createdAt: Timestamp) -> Timestamp? {
        expiresIn.map { createdAt.advanced(byMilliseconds: Int64($0) * 1000) }
    }
}

/// The `data` of an accepted `messages/send`.
public struct SentMessage: Hashable, Sendable {
    public let id: MessageID
    public let epoch: String
    public let seq: Int
    public let createdAt: Timestamp

    public init(id: MessageID, epoch: String, seq: Int, createdAt: Timestamp) {
        self.id = id
        self.epoch = epoch
        self.seq = seq
        self.createdAt = createdAt
    }
}

extension SentMessage: GatewayObject {
    package init<Pass: FieldPass<SentMessage>>(fields pass: inout Pass) throws(Pass.Failure) {
        id = try pass.required("id", \.id)
        epoch = try pass.required("epoch", \.epoch, as: .epoch)
        seq = try pass.required("seq", \.seq, as: .seq)
        createdAt = try pass.required("created_at", \.createdAt)
        _ = try pass.optional("status", \.status)
    }

    /// Of a message that was just accepted.
    private var status: Named<MessageStatus> { .known(.sent) }

    package func write(to writer: inout JSONWriter) { writer.object { writeMembers(to: &$0) } }
}
