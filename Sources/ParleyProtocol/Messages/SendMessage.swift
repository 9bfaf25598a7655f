/// `messages/send`: a sealed message for a conversation.
public struct SendMessage: Hashable, Sendable {
    public let id: MessageID
    public let conversation: ConversationID
    public let type: MessageType
    public let suite: Suite
    /// The ciphertext, 16 bytes to 64 KiB.
    public let content: [UInt8]
    /// As long as the suite says.
    public let nonce: [UInt8]
    public let recipientKeys: [RecipientKey]?
    public let replyTo: MessageID?
    /// In whole seconds, from when the gateway has it.
    public let expiresIn: Int?
    /// The sender takes its own `message.new` as the reply (`"reply":"event"`).
    public let echoIsReply: Bool

    public init(
        id: MessageID, conversation: ConversationID, type: MessageType.Sendable, suite: Suite, content: [UInt8],
        nonce: [UInt8], recipientKeys: [RecipientKey]? = nil, replyTo: MessageID? = nil, expiresIn: Int? = nil,
        echoIsReply: Bool = false
    ) {
        self.id = id
        self.conversation = conversation
        self.type = type.type
        self.suite = suite
        self.content = content
        self.nonce = nonce
        self.recipientKeys = recipientKeys
        self.replyTo = replyTo
        self.expiresIn = expiresIn
        self.echoIsReply = echoIsReply
    }

    private enum ReplyForm: String, CaseIterable {
        case event, message
    }

    init(_ object: JSONObject) throws(Rejection) {
        id = try object.uuid("id").required("id")
        conversation = try object.uuid("conversation_id").required("conversation_id")
        type = try object.choice("message_type", as: MessageType.Sendable.self).required("message_type").type
        suite = try object.choice("suite", as: Suite.self).required("suite")
        content = try object.base64(
            "encrypted_content", lengths: Limits.minimumContentBytes...Limits.contentBytes
        ).required("encrypted_content")
        nonce = try object.base64("nonce", lengths: suite.nonceLength...suite.nonceLength).required("nonce")
        replyTo = try object.uuid("reply_to")
        expiresIn = try object.integer("expires_in", in: Limits.expirySeconds)
        echoIsReply = try object.choice("reply", as: ReplyForm.self) == .event
        recipientKeys = try SendMessage.recipientKeys(object)
    }

    private static func recipientKeys(_ object: JSONObject) throws(Rejection) -> [RecipientKey]? {
        guard let elements = try object.objects("recipient_keys", maximum: Limits.recipientKeys) else { return nil }
        var keys: [RecipientKey] = []
        keys.reserveCapacity(elements.count)
        var seen: Set<DeviceAddress> = []
        for element in elements {
            let key = try RecipientKey(element)
            guard seen.insert(key.address).inserted else {
                throw .badRequest("recipient_keys", "a device is named twice")
            }
            keys.append(key)
        }
        return keys
    }

    /// The payload of this request, as a device sends it.
    public func payload(requestID: String? = nil) -> [UInt8] {
        Request.sendMessage(self).payload(requestID: requestID)
    }

    func writeFields(to object: inout JSONWriter) {
        object.member("id", id)
        object.member("conversation_id", conversation)
        object.member("message_type", type.rawValue)
        object.member("suite", suite.rawValue)
        object.member("encrypted_content", base64: content)
        object.member("nonce", base64: nonce)
        if let recipientKeys { object.member("recipient_keys", raw: RecipientKey.json(recipientKeys)) }
        if let replyTo { object.member("reply_to", replyTo) }
        if let expiresIn { object.member("expires_in", expiresIn) }
        if echoIsReply { object.member("reply", ReplyForm.event.rawValue) }
    }

    /// What makes two requests the same (protocol §4): everything but how the reply is wanted. Sender and device are
    /// part of it. The digest of these bytes is kept, so that a repeat is known even when the ciphertext is gone.
    public func identityPreimage(sender: DeviceAddress) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(content.count + 192)
        func field(_ part: some Collection<UInt8>) {
            for shift in [24, 16, 8, 0] { bytes.append(UInt8(truncatingIfNeeded: part.count >> shift)) }
            bytes.append(contentsOf: part)
        }
        field(sender.user.text.utf8)
        field(sender.device.text.utf8)
        field(conversation.value.bytes)
        field(type.rawValue.utf8)
        field(suite.rawValue.utf8)
        field(content)
        field(nonce)
        field(recipientKeys.map(RecipientKey.json) ?? [])
        field(replyTo?.value.bytes ?? [])
        field(expiresIn.map { Array(String($0).utf8) } ?? [])
        return bytes
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

    public func write(to writer: inout JSONWriter) {
        writer.object {
            $0.member("id", id)
            $0.member("epoch", epoch)
            $0.member("seq", seq)
            $0.member("created_at", createdAt)
            $0.member("status", MessageStatus.sent.rawValue)
        }
    }
}
