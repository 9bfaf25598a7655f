/// `messages/send`: a sealed message for a conversation.
public struct SendMessage: RepeatableCommand {
    public static let operation = Operation(validatedArea: "messages", verb: "send")
    public typealias Reply = SentMessage

    public let id: MessageID
    public let conversation: ConversationID
    public let type: MessageType
    public let sealed: SealedContent
    public let replyTo: MessageID?
    /// In whole seconds from its acceptance.
    public let expiresIn: Int?
    /// The blobs that belong to it: of the sender's, for this conversation, and of no other message.
    public let blobs: [BlobID]
    /// Whether the sender's own `message.new` serves as the reply (`"reply":"event"`).
    public let echoIsReply: Bool
    /// Whether it is notified in quiet hours too. It has no other effect, and is not stored.
    public let isUrgent: Bool

    public init(
        id: MessageID, conversation: ConversationID, type: MessageType.Sendable, suite: Suite, content: [UInt8],
        nonce: [UInt8], recipientKeys: [RecipientKey]? = nil, recipientKeyID: KeyID? = nil, replyTo: MessageID? = nil,
        expiresIn: Int? = nil, blobs: [BlobID] = [], echoIsReply: Bool = false, isUrgent: Bool = false
    ) {
        sealed = SealedContent(
            suite: suite, content: content, nonce: nonce, recipientKeys: recipientKeys, recipientKeyID: recipientKeyID)
        (self.id, self.conversation, self.type) = (id, conversation, type.type)
        (self.replyTo, self.expiresIn, self.blobs) = (replyTo, expiresIn, blobs)
        (self.echoIsReply, self.isUrgent) = (echoIsReply, isUrgent)
    }

    private enum ReplyForm: String, CaseIterable {
        case event, message
    }

    package init<Pass: FieldPass<SendMessage>>(fields pass: inout Pass) throws(Pass.Failure) {
        id = try pass.required("id", \.id)
        conversation = try pass.required("conversation_id", \.conversation)
        type = try pass.required("message_type", \.type, as: SendableTypeForm())
        sealed = try pass.part(\.sealed)
        replyTo = try pass.optional("reply_to", \.replyTo)
        expiresIn = try pass.optional("expires_in", \.expiresIn, as: .integer(Limits.expirySeconds))
        blobs = try pass.optional("blobs", { $0.blobs.isEmpty ? nil : $0.blobs }, as: MessageBlobsForm()) ?? []
        echoIsReply = try pass.optional("reply", { $0.echoIsReply ? ReplyForm.event : nil }) == .event
        isUrgent = try pass.flag("is_urgent", \.isUrgent)
    }

    /// Everything but the form of the reply and the urgency.
    package func identityPreimage(sender: DeviceAddress) -> [UInt8] {
        IdentityPreimage(of: sender, reserving: sealed.content.count).field(conversation).field(type.rawValue)
            .fields(sealed).field(replyTo).field(expiresIn).fieldIfPresent(sealed.recipientKeyID?.bytes)
            .fieldIfPresent(blobs.isEmpty ? nil : blobs.flatMap(\.value.bytes)).bytes
    }

    /// `nil` for a message that does not disappear.
    public func expiry(createdAt: Timestamp) -> Timestamp? {
        expiresIn.map { createdAt.advanced(byMilliseconds: Int64($0) * 1000) }
    }
}

/// The `data` of an accepted `messages/send`.
public struct SentMessage: GatewayObject {
    public let id: MessageID
    public let epoch: String
    public let seq: Int
    public let createdAt: Timestamp

    public init(id: MessageID, epoch: String, seq: Int, createdAt: Timestamp) {
        (self.id, self.epoch, self.seq, self.createdAt) = (id, epoch, seq, createdAt)
    }

    package init<Pass: FieldPass<SentMessage>>(fields pass: inout Pass) throws(Pass.Failure) {
        id = try pass.required("id", \.id)
        epoch = try pass.required("epoch", \.epoch, as: .epoch)
        seq = try pass.required("seq", \.seq, as: .seq)
        createdAt = try pass.required("created_at", \.createdAt)
        _ = try pass.optional("status", \.status)
    }

    private var status: Named<MessageStatus> { .known(.sent) }

    package func write(to writer: inout JSONWriter) { writer.object { writeMembers(to: &$0) } }
}
