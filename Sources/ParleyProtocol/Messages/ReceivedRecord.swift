/// A record of a conversation's log as a device has it from an event or a page (protocol §3).
///
/// The counterpart of ``MessageRecord``, which the gateway writes: what a later version names differently is kept.
public struct ReceivedRecord: Hashable, Sendable {
    public let id: MessageID
    public let conversation: ConversationID
    public let epoch: String
    /// 1, 2, 3 … without a hole inside an epoch.
    public let seq: Int
    public let kind: Named<RecordKind>
    /// The message that an edit, delete or reaction is about.
    public let target: MessageID?
    public let sender: DeviceAddress
    public let type: Named<MessageType>
    public let suite: Named<Suite>?
    /// The ciphertext; `nil` for what the gateway wrote, and for what was deleted.
    public let content: [UInt8]?
    public let nonce: [UInt8]?
    public let recipientKeys: [RecipientKey]?
    public let replyTo: MessageID?
    public let expiresAt: Timestamp?
    public let createdAt: Timestamp
    /// What a message of the type `system` tells.
    public let system: SystemNotice?
    /// How far it has come; only in the history of its own sender.
    public let status: Named<MessageStatus>?

    public init(
        id: MessageID, conversation: ConversationID, epoch: String, seq: Int,
        kind: Named<RecordKind> = .known(.message),
        target: MessageID? = nil, sender: DeviceAddress, type: Named<MessageType>, suite: Named<Suite>?,
        content: [UInt8]?, nonce: [UInt8]?, recipientKeys: [RecipientKey]? = nil, replyTo: MessageID? = nil,
        expiresAt: Timestamp? = nil, createdAt: Timestamp, system: SystemNotice? = nil,
        status: Named<MessageStatus>? = nil
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
        self.createdAt = createdAt
        self.system = system
        self.status = status
    }

    /// In whole seconds, as its sender asked for: part of what was sealed.
    public var expiresIn: Int? {
        guard let expiresAt else { return nil }
        let (milliseconds, overflow) = expiresAt.milliseconds.subtractingReportingOverflow(createdAt.milliseconds)
        return overflow ? nil : Int(milliseconds / 1000)
    }

    /// Writes the record as the gateway does.
    public func write(to writer: inout JSONWriter) {
        writer.object { object in
            object.member("id", id)
            object.member("conversation_id", conversation)
            object.member("epoch", epoch)
            object.member("seq", seq)
            object.member("kind", kind.name)
            object.member("target_id", target)
            object.member("sender_id", sender.user)
            object.member("sender_device_id", sender.device)
            object.member("message_type", type.name)
            object.member("suite", suite?.name)
            object.member("encrypted_content", base64: content)
            object.member("nonce", base64: nonce)
            object.member("recipient_keys", raw: recipientKeys.map(RecipientKey.json))
            object.member("reply_to", replyTo)
            object.member("expires_at", expiresAt)
            object.member("created_at", createdAt)
            if let system {
                object.key("system")
                system.write(to: &object)
            }
            if let status { object.member("status", status.name) }
        }
    }
}

extension ReceivedRecord: GatewayValue {
    package init(members object: JSONObject) throws(Rejection) {
        self.init(
            id: try object.uuid("id").required("id"),
            conversation: try object.uuid("conversation_id").required("conversation_id"),
            epoch: try object.text("epoch", maximum: 64).required("epoch"),
            seq: try object.integer("seq", in: 1...Int.max).required("seq"),
            kind: try object.named("kind") ?? .known(.message), target: try object.uuid("target_id"),
            sender: DeviceAddress(
                user: try object.level("sender_id").required("sender_id"),
                device: try object.level("sender_device_id").required("sender_device_id")),
            type: try object.named("message_type").required("message_type"), suite: try object.named("suite"),
            content: try object.base64("encrypted_content", lengths: 0...Limits.packetBytes),
            nonce: try object.base64("nonce", lengths: 0...Limits.packetBytes),
            recipientKeys: try object.values("recipient_keys"), replyTo: try object.uuid("reply_to"),
            expiresAt: try object.timestamp("expires_at"),
            createdAt: try object.timestamp("created_at").required("created_at"),
            system: try object.object("system").map { (notice) throws(Rejection) in try SystemNotice(members: notice) },
            status: try object.named("status"))
    }
}

extension RecipientKey: GatewayValue {
    package init(members object: JSONObject) throws(Rejection) {
        self.init(
            address: try object.address(),
            encryptedKey: try object.base64("encrypted_key", lengths: 0...Limits.packetBytes).required("encrypted_key"),
            keyID: try KeyID(optional: object, "key_id"))
    }
}

/// What the gateway itself says in a conversation: the `system` of a message of that type.
public struct SystemNotice: Hashable, Sendable {
    /// What happened, by its name.
    public let event: String
    /// Whom it is about.
    public let user: UserID?
    /// Who did it.
    public let by: UserID?

    public init(event: String, user: UserID?, by: UserID?) {
        self.event = event
        self.user = user
        self.by = by
    }

    /// Writes the notice as the gateway does.
    public func write(to writer: inout JSONWriter) {
        writer.object { object in
            object.member("event", event)
            object.member("user_id", user?.text)
            object.member("by", by?.text)
        }
    }
}

extension SystemNotice: GatewayValue {
    package init(members object: JSONObject) throws(Rejection) {
        self.init(
            event: try object.text("event", maximum: 64).required("event"), user: try object.level("user_id"),
            by: try object.level("by"))
    }
}
