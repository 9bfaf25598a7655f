import ParleyCrypto
import ParleyDeviceStore
import ParleyProtocol

/// A message, or a change to one, before it is sealed: the send queue stores it so that it can be sealed again when its
/// recipients' devices change.
struct Draft: Hashable, Sendable {
    let type: MessageType.Sendable
    /// The content: a JSON object.
    var content: [UInt8]
    var replyTo: MessageID?
    /// In seconds, as the header has it.
    var expiresIn: Int?
    /// The app's choice; `nil` for the conversation's default.
    var suite: Suite.Bound?
    /// By this device's clock.
    let writtenAt: Timestamp
    /// Whether recipients are notified in their quiet hours, too.
    var isUrgent = false
    /// The blob of its file, which is uploaded first.
    var blob: BlobID?
    /// `nil` for a message.
    var change: Change?
    /// Why the client itself wrote it; `nil` for a person's. A failure of the client's own is not reported.
    var resending: Resending?
    /// The users that it is sealed for; empty for all members.
    var onlyFor: [UserID] = []

    struct Change: Hashable, Sendable {
        let kind: Kind
        let target: MessageID
    }

    enum Kind: String, CaseIterable, Sendable {
        case edit, delete, reaction
    }

    var kind: RecordKind {
        switch change?.kind {
        case .edit: .edit
        case .delete: .delete
        case .reaction: .reaction
        case nil: .message
        }
    }
}

extension Draft: GatewayObject {
    init?(payload: [UInt8]) { try? self.init(json: payload) }

    init<Pass: FieldPass<Draft>>(fields pass: inout Pass) throws(Pass.Failure) {
        type = try pass.required("type", \.type)
        content = try pass.required("content", \.content, as: .base64(0...Limits.packetBytes))
        replyTo = try pass.optional("reply_to", \.replyTo)
        expiresIn = try pass.optional("expires_in", \.expiresIn, as: .integer(Limits.expirySeconds))
        suite = try pass.optional("suite", \.suite, as: .choice())
        writtenAt = try pass.required("written_at", \.writtenAt)
        isUrgent = try pass.mark("is_urgent", \.isUrgent)
        blob = try pass.optional("blob", \.blob, without: .omitted)
        change = try pass.part(\.change, shownBy: "kind")
        resending = try pass.optional("resending", \.resending, as: .choice())
        onlyFor = try pass.users("only_for", \.onlyFor)
    }
}

extension Draft.Change: GatewayObject {
    init<Pass: FieldPass<Draft.Change>>(fields pass: inout Pass) throws(Pass.Failure) {
        kind = try pass.required("kind", \.kind)
        target = try pass.required("target_id", \.target)
    }
}

// MARK: Forms of what the device keeps

extension FieldPass {
    /// A flag that is written only if it is true.
    mutating func mark(_ name: String, _ value: (Object) -> Bool) throws(Failure) -> Bool {
        try optional(name, { value($0) ? true : nil }, without: .omitted) ?? false
    }

    /// Users, omitted if there are none.
    mutating func users(_ name: String, _ value: (Object) -> [UserID]) throws(Failure) -> [UserID] {
        try optional(name, { value($0).isEmpty ? nil : value($0) }, as: UsersForm(), without: .omitted) ?? []
    }
}

private struct UsersForm: FieldForm {
    func read(_ name: String, of object: JSONObject) throws(Rejection) -> [UserID]? {
        try object.levels(name, maximum: Limits.recipientKeys)
    }

    func write(_ value: [UserID], to writer: inout JSONWriter) { writer.array(value) { $1.write(to: &$0) } }

    var schema: FieldSchema { .array(.user, 0...Limits.recipientKeys) }
}

// Sealed drafts, and how they are stored.

/// The request of a draft, repeated with the same bytes.
enum SealedDraft: Sendable {
    case message(SendMessage)
    case change(ChangeMessage)

    /// - Parameters:
    ///   - recipients: the devices that it was sealed for, and those that it only names.
    ///   - echoIsReply: whether this device is subscribed to its echo.
    init(
        _ sealed: SealedMessage, _ header: MessageHeader, _ draft: Draft, _ recipients: PeerRecipients,
        echoIsReply: Bool
    ) {
        let recipientKeys = sealed.recipientKeys.map(recipients.naming)
        let recipientKeyID = recipientKeys == nil ? recipients.sealed.first?.key.id : nil
        guard let change = draft.change else {
            self = .message(
                SendMessage(
                    id: header.id, conversation: header.conversation, type: draft.type, suite: header.suite.suite,
                    content: sealed.content, nonce: sealed.nonce, recipientKeys: recipientKeys,
                    recipientKeyID: recipientKeyID, replyTo: draft.replyTo, expiresIn: draft.expiresIn,
                    blobs: draft.blob.map { [$0] } ?? [], echoIsReply: echoIsReply, isUrgent: draft.isUrgent))
            return
        }
        let content = SealedContent(
            suite: header.suite.suite, content: sealed.content, nonce: sealed.nonce, recipientKeys: recipientKeys,
            recipientKeyID: recipientKeyID)
        self = .change(
            ChangeMessage(
                id: header.id, conversation: header.conversation, message: change.target,
                change: change.kind.sealing(content)))
    }

    /// Reads a stored request.
    ///
    /// - Returns: `nil` if it is unreadable.
    init?(_ kept: [UInt8], _ draft: Draft) {
        guard let object = try? JSONObject(parsing: kept) else { return nil }
        do throws(Rejection) {
            switch draft.change?.kind {
            case nil: self = .message(try SendMessage(members: object))
            case .edit: self = .change(try EditMessage(members: object).change)
            case .delete: self = .change(try DeleteMessage(members: object).change)
            case .reaction: self = .change(try ReactToMessage(members: object).change)
            }
        } catch {
            return nil
        }
    }

    private var recipientKeys: [RecipientKey] {
        switch self {
        case .message(let message): message.sealed.recipientKeys ?? []
        case .change(let change): change.sealed?.recipientKeys ?? []
        }
    }

    /// The devices that it names without a key.
    var leftOut: [DeviceAddress] { recipientKeys.filter(\.isLeftOut).map(\.address) }

    /// The users that it names keys for.
    var sealedFor: [UserID] { Set(recipientKeys.filter { !$0.isLeftOut }.map(\.address.user)).sorted() }

    var request: any Request {
        switch self {
        case .message(let message): message
        case .change(let change): change.request
        }
    }
}

extension PeerRecipients {
    /// The sealed key of each device with its key id, and the devices that are left out.
    fileprivate func naming(_ sealedKeys: [RecipientKey]) -> [RecipientKey] {
        let ids = Dictionary(uniqueKeysWithValues: sealed.map { ($0.device, $0.key.id) })
        return sealedKeys.map {
            RecipientKey(address: $0.address, encryptedKey: $0.encryptedKey, keyID: ids[$0.address] ?? nil)
        } + leftOut.map { RecipientKey.leftOut($0.device, keyID: $0.keyID) }
    }
}

extension Draft.Kind {
    fileprivate func sealing(_ content: SealedContent) -> ChangeMessage.Change {
        switch self {
        case .edit: .edit(content)
        case .delete: .delete
        case .reaction: .react(content)
        }
    }
}

// MARK: In the store

extension QueuedMessage {
    /// `nil` if it is unreadable.
    var draft: Draft? { content.flatMap { Draft(payload: $0) } }
}
