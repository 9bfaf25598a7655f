/// One record of a conversation's log, as the gateway stores and serves it and a device reads it (protocol §3,
/// "message" of §5).
///
/// A device keeps names of a later version. The gateway has `recipientKeys` and `system` as the JSON that it stores and
/// passes on, and the disappearance of the ciphertext by its own clock.
public struct MessageRecord: Hashable, Sendable {
    public let id: MessageID
    public let conversation: ConversationID
    public package(set) var epoch: String
    /// Consecutive from 1 within an epoch.
    public package(set) var seq: Int
    public let kind: Named<RecordKind>
    /// The message of an edit, delete or reaction.
    public let target: MessageID?
    public let sender: DeviceAddress
    public let type: Named<MessageType>
    public let suite: Named<Suite>?
    /// The ciphertext; `nil` for a message of the gateway's, and for one that was deleted or has disappeared.
    public private(set) var content: [UInt8]?
    public private(set) var nonce: [UInt8]?
    public private(set) var recipientKeys: ReadyMade<[RecipientKey]>?
    public let replyTo: MessageID?
    /// The disappearance of the ciphertext. In the gateway, edits and reactions of a disappearing message have it too.
    public let expiresAt: Timestamp?
    /// The written `expires_at`: `nil` for the gateway's edits and reactions, because their header has no `expires_in`
    /// (protocol §6).
    private var writtenExpiry: Timestamp?
    /// The same by the gateway's steady time, which decides it; never sent. `nil` on a device.
    public private(set) var disappearsAt: Timestamp?
    public let createdAt: Timestamp
    /// The content of a message of the type `system`.
    public private(set) var system: ReadyMade<SystemNotice>?
    /// Only in the copy of its own sender.
    public let status: Named<MessageStatus>?

    /// A record as a device has it.
    public init(
        id: MessageID, conversation: ConversationID, epoch: String, seq: Int,
        kind: Named<RecordKind> = .known(.message), target: MessageID? = nil, sender: DeviceAddress,
        type: Named<MessageType>, suite: Named<Suite>?, content: [UInt8]?, nonce: [UInt8]?,
        recipientKeys: [RecipientKey]? = nil, replyTo: MessageID? = nil, expiresAt: Timestamp? = nil,
        createdAt: Timestamp, system: SystemNotice? = nil, status: Named<MessageStatus>? = nil
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
        self.recipientKeys = recipientKeys.map(ReadyMade.value)
        self.replyTo = replyTo
        self.expiresAt = expiresAt
        writtenExpiry = expiresAt
        self.createdAt = createdAt
        self.system = system.map(ReadyMade.value)
        self.status = status
    }

    /// A record as the gateway stores it.
    ///
    /// - Parameters:
    ///   - recipientKeys: the list of `RecipientKey`s as JSON.
    ///   - system: a `SystemNotice` as JSON.
    ///   - disappearsAt: without it, the same as `expiresAt`.
    public init(
        id: MessageID, conversation: ConversationID, epoch: String, seq: Int, kind: RecordKind, target: MessageID?,
        sender: DeviceAddress, type: MessageType, suite: Suite?, content: [UInt8]?, nonce: [UInt8]?,
        recipientKeys: [UInt8]?, replyTo: MessageID?, expiresAt: Timestamp?, createdAt: Timestamp,
        system: [UInt8]? = nil, disappearsAt: Timestamp? = nil
    ) {
        self.init(
            id: id, conversation: conversation, epoch: epoch, seq: seq, kind: .known(kind), target: target,
            sender: sender, type: .known(type), suite: suite.map(Named.known), content: content, nonce: nonce,
            replyTo: replyTo, expiresAt: expiresAt, createdAt: createdAt)
        self.recipientKeys = recipientKeys.map(ReadyMade.json)
        self.system = system.map(ReadyMade.json)
        self.disappearsAt = disappearsAt ?? expiresAt
        if kind != .message { writtenExpiry = nil }
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
            sender: sender, type: message.type, suite: message.sealed.suite, content: message.sealed.content,
            nonce: message.sealed.nonce, recipientKeys: message.sealed.recipientKeys.map(RecipientKey.json),
            replyTo: message.replyTo,
            expiresAt: message.expiry(createdAt: createdAt), createdAt: createdAt,
            disappearsAt: message.expiry(createdAt: steady ?? createdAt))
    }

    /// The record of a change to a message of this type, with the message's expiry.
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

    /// A message by the gateway itself (protocol §3, `system`).
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

    /// The record of a message that was deleted or has disappeared.
    public var withoutCiphertext: MessageRecord {
        var rest = self
        (rest.content, rest.nonce, rest.recipientKeys) = (nil, nil, nil)
        return rest
    }

    /// The record with the content key for one device alone. Neither the header nor the commitment covers the list of
    /// keys (protocol §6), so that the device can open it as before.
    package func withRecipientKeys(only address: DeviceAddress) -> MessageRecord {
        guard let recipientKeys else { return self }
        let keys =
            switch recipientKeys {
            case .value(let keys): keys
            case .json(let json): RecipientKey.list(json: json)
            }
        var rest = self
        rest.recipientKeys = .value(keys.filter { $0.address == address })
        return rest
    }

    /// In whole seconds, as its sender chose it: part of the sealed header.
    public var expiresIn: Int? {
        guard let expiresAt else { return nil }
        let (milliseconds, overflow) = expiresAt.milliseconds.subtractingReportingOverflow(createdAt.milliseconds)
        return overflow ? nil : Int(milliseconds / 1000)
    }

    /// The list of `RecipientKey`s as JSON, as the gateway stores it.
    package var recipientKeysJSON: [UInt8]? {
        switch recipientKeys {
        case nil: nil
        case .json(let json): json
        case .value(let keys): RecipientKey.json(keys)
        }
    }

    /// The `SystemNotice` as JSON, as the gateway stores it.
    package var systemJSON: [UInt8]? {
        switch system {
        case nil: nil
        case .json(let json): json
        case .value(let notice): notice.json
        }
    }
}

// MARK: Fields

extension MessageRecord: GatewayObject {
    @inline(__always)
    package init<Pass: FieldPass<MessageRecord>>(fields pass: inout Pass) throws(Pass.Failure) {
        id = try pass.required("id", \.id)
        conversation = try pass.required("conversation_id", \.conversation)
        epoch = try pass.required("epoch", \.epoch, as: .epoch)
        seq = try pass.required("seq", \.seq, as: .seq)
        kind = try pass.required("kind", \.kind, default: .known(.message))
        target = try pass.optional("target_id", \.target)
        sender = DeviceAddress(
            user: try pass.required("sender_id", \.sender.user),
            device: try pass.required("sender_device_id", \.sender.device))
        type = try pass.required("message_type", \.type)
        suite = try pass.optional("suite", \.suite)
        content = try pass.optional("encrypted_content", \.content, as: .base64(0...Limits.packetBytes))
        nonce = try pass.optional("nonce", \.nonce, as: .base64(0...Limits.packetBytes))
        recipientKeys = try pass.optional("recipient_keys", \.recipientKeys, as: .readyMade(.objects()))
        replyTo = try pass.optional("reply_to", \.replyTo)
        writtenExpiry = try pass.optional("expires_at", \.writtenExpiry)
        expiresAt = writtenExpiry
        createdAt = try pass.required("created_at", \.createdAt)
        system = try pass.optional("system", \.system, as: .readyMade(.object()), without: .omitted)
        status = try pass.optional("status", \.status, without: .omitted)
    }

    /// The approximate size of a record's JSON without its content and recipients' keys.
    private static let envelopeBytes = 640

    private var jsonBytes: Int {
        let keys =
            switch recipientKeys {
            case nil, .value: 0
            case .json(let json): json.count
            }
        return MessageRecord.envelopeBytes + (content?.count ?? 0) / 3 * 4 + keys
    }

    package func write(to writer: inout JSONWriter) {
        writer.object(reserving: jsonBytes) { writeMembers(to: &$0) }
    }

    /// Writes the record for its own sender.
    package func write(to writer: inout JSONWriter, status: MessageStatus?) {
        writer.object(reserving: jsonBytes) { object in
            writeMembers(to: &object)
            // The last field of the list; adding it to the record would copy that.
            if let status { object.member("status", Named.known(status)) }
        }
    }
}

extension MessageRecord: AddressedEvent {
    package static let names = RecordKind.allCases.map { Named.known($0).eventType }
    public var name: String { kind.eventType }
    package var topic: Topic { .conversation(conversation, .messages) }
    package var received: ReceivedEvent { .record(self) }

    /// Written here, so that the most frequent event is specialized.
    package func writeEvent(to writer: inout JSONWriter) {
        writer.event(kind.eventType) { write(to: &$0) }
    }
}
