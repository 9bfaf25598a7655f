/// One record of a conversation's log, as it is stored, announced and served (protocol §3, "message" of §5).
public struct MessageRecord: Hashable, Sendable {
    public let id: MessageID
    public let conversation: ConversationID
    public let epoch: String
    /// 1, 2, 3 … without a hole inside an epoch.
    public let seq: Int
    public let kind: RecordKind
    /// The message that an edit, delete or reaction is about.
    public let target: MessageID?
    public let sender: DeviceAddress
    public let type: MessageType
    public let suite: Suite?
    public let content: [UInt8]?
    public let nonce: [UInt8]?
    /// The list of `RecipientKey`s as JSON.
    public let recipientKeys: [UInt8]?
    public let replyTo: MessageID?
    /// When the ciphertext disappears: of a message that is to, and of the edits and reactions of one, whose own field
    /// of that name is null outside the gateway, for their header has no `expires_in` (protocol §6).
    public let expiresAt: Timestamp?
    /// The same by the gateway's steady time, which alone decides it; nobody outside the gateway is told.
    public let disappearsAt: Timestamp?
    public let createdAt: Timestamp
    /// What a message of the type `system` tells, as JSON.
    public let system: [UInt8]?

    /// - Parameter disappearsAt: without it, the same as `expiresAt`.
    public init(
        id: MessageID, conversation: ConversationID, epoch: String, seq: Int, kind: RecordKind, target: MessageID?,
        sender: DeviceAddress, type: MessageType, suite: Suite?, content: [UInt8]?, nonce: [UInt8]?,
        recipientKeys: [UInt8]?, replyTo: MessageID?, expiresAt: Timestamp?, createdAt: Timestamp,
        system: [UInt8]? = nil, disappearsAt: Timestamp? = nil
    ) {
        self.id = id
        self.conversation = conversation
        self.epoch = epoch
        self.seq = seq
        self.kind = kind
        self.target = target
        self.sender = sender
        self.type = type
        self.suite = suite
        self.content = content
        self.nonce = nonce
        self.recipientKeys = recipientKeys
        self.replyTo = replyTo
        self.expiresAt = expiresAt
        self.disappearsAt = disappearsAt ?? expiresAt
        self.createdAt = createdAt
        self.system = system
    }

    /// The record of a message that was accepted.
    ///
    /// - Parameter steady: the gateway's steady time; without it, the same as `createdAt`.
    public init(
        _ message: SendMessage, sender: DeviceAddress, epoch: String, seq: Int, createdAt: Timestamp,
        steady: Timestamp? = nil
    ) {
        self.init(
            id: message.id, conversation: message.conversation, epoch: epoch, seq: seq, kind: .message, target: nil,
            sender: sender, type: message.type, suite: message.suite, content: message.content, nonce: message.nonce,
            recipientKeys: message.recipientKeys.map(RecipientKey.json), replyTo: message.replyTo,
            expiresAt: message.expiry(createdAt: createdAt), createdAt: createdAt,
            disappearsAt: message.expiry(createdAt: steady ?? createdAt))
    }

    /// The record of a change to a message of this type that disappears then.
    public init(
        _ change: ChangeMessage, of type: MessageType, expiresAt: Timestamp?, disappearsAt: Timestamp? = nil,
        sender: DeviceAddress, epoch: String, seq: Int, createdAt: Timestamp
    ) {
        let sealed = change.sealed
        self.init(
            id: change.id, conversation: change.conversation, epoch: epoch, seq: seq, kind: change.kind,
            target: change.message, sender: sender, type: type, suite: sealed?.suite, content: sealed?.content,
            nonce: sealed?.nonce, recipientKeys: sealed?.recipientKeys.map(RecipientKey.json), replyTo: nil,
            expiresAt: sealed == nil ? nil : expiresAt, createdAt: createdAt,
            disappearsAt: sealed == nil ? nil : disappearsAt)
    }

    /// What the gateway itself says in a conversation (protocol §3, `system`).
    public init(
        _ notice: SystemNotice, id: MessageID, conversation: ConversationID, by sender: DeviceAddress, epoch: String,
        seq: Int, createdAt: Timestamp
    ) {
        var writer = JSONWriter()
        notice.write(to: &writer)
        self.init(
            id: id, conversation: conversation, epoch: epoch, seq: seq, kind: .message, target: nil, sender: sender,
            type: .system, suite: nil, content: nil, nonce: nil, recipientKeys: nil, replyTo: nil, expiresAt: nil,
            createdAt: createdAt, system: writer.finish())
    }

    /// What is left of it when its message was deleted or has disappeared.
    public var withoutCiphertext: MessageRecord {
        MessageRecord(
            id: id, conversation: conversation, epoch: epoch, seq: seq, kind: kind, target: target, sender: sender,
            type: type, suite: suite, content: nil, nonce: nil, recipientKeys: nil, replyTo: replyTo,
            expiresAt: expiresAt, createdAt: createdAt, system: system, disappearsAt: disappearsAt)
    }

    /// About as many bytes as a record's JSON has beside its content and its recipients' keys.
    private static let envelopeBytes = 640

    /// Writes the record; with `status` as the sender's own history shows it.
    public func write(to writer: inout JSONWriter, status: MessageStatus? = nil) {
        writer.reserve(MessageRecord.envelopeBytes + (content?.count ?? 0) / 3 * 4 + (recipientKeys?.count ?? 0))
        writer.object { object in
            object.member("id", id)
            object.member("conversation_id", conversation)
            object.member("epoch", epoch)
            object.member("seq", seq)
            object.member("kind", kind.rawValue)
            object.member("target_id", target)
            object.member("sender_id", sender.user)
            object.member("sender_device_id", sender.device)
            object.member("message_type", type.rawValue)
            object.member("suite", suite?.rawValue)
            object.member("encrypted_content", base64: content)
            object.member("nonce", base64: nonce)
            object.member("recipient_keys", raw: recipientKeys)
            object.member("reply_to", replyTo)
            object.member("expires_at", kind == .message ? expiresAt : nil)
            object.member("created_at", createdAt)
            if let system { object.member("system", raw: system) }
            if let status { object.member("status", status.rawValue) }
        }
    }

    /// Writes the event that announces the record on `conversations/{cid}/messages`.
    public func writeEvent(to writer: inout JSONWriter) {
        writer.object { object in
            object.member("type", kind.eventType.description)
            object.key("data")
            write(to: &object)
        }
    }
}
