import ParleyCrypto
import ParleyDeviceStore
import ParleyProtocol

/// A message, or a change to one, that was written and not sealed yet: what the queue on disk keeps of it, so that it
/// can be sealed as often as its recipients' devices change.
struct Draft: Hashable, Sendable {
    let type: MessageType.Sendable
    /// The content: a JSON object.
    let content: [UInt8]
    let replyTo: MessageID?
    /// In seconds, as the header has it.
    let expiresIn: Int?
    /// The one that the app chose; `nil` for the conversation's usual one.
    let suite: Suite?
    /// When it was written, by this device's clock.
    let writtenAt: Timestamp
    /// Whether others are notified of it in their quiet hours too.
    var isUrgent = false
    /// Which message it changes, and how; `nil` for a message.
    var change: Change?
    /// Why the client itself has written it; `nil` for what a person wrote. Should it fail, no event says so.
    var resending: Resending?
    /// The only users whom it is sealed for; empty for all who are there.
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
    /// What is false unless it is there.
    mutating func mark(_ name: String, _ value: (Object) -> Bool) throws(Failure) -> Bool {
        try optional(name, { value($0) ? true : nil }, without: .omitted) ?? false
    }

    /// Left out if there are none.
    mutating func users(_ name: String, _ value: (Object) -> [UserID]) throws(Failure) -> [UserID] {
        try optional(name, { value($0).isEmpty ? nil : value($0) }, as: UsersForm(), without: .omitted) ?? []
    }
}

private struct UsersForm: FieldForm {
    func read(_ name: String, of object: JSONObject) throws(Rejection) -> [UserID]? {
        try object.levels(name, maximum: Limits.recipientKeys)
    }

    func write(_ value: [UserID], to writer: inout JSONWriter) { writer.array(value) { $1.write(to: &$0) } }
}

// What becomes of a draft once it is sealed, and of what was kept of that to be repeated.

/// What a draft is sent as, the very same each time.
enum SealedDraft: Sendable {
    case message(SendMessage)
    case change(ChangeMessage)

    /// - Parameters:
    ///   - recipients: those whom it was sealed for, and those whom it names only.
    ///   - echoIsReply: whether its sender is subscribed to its echo.
    init(
        _ sealed: SealedMessage, _ header: MessageHeader, _ draft: Draft, _ recipients: PeerRecipients,
        echoIsReply: Bool
    ) {
        let recipientKeys = sealed.recipientKeys.map(recipients.naming)
        let recipientKeyID = recipientKeys == nil ? recipients.sealed.first?.key.id : nil
        guard let change = draft.change else {
            self = .message(
                SendMessage(
                    id: header.id, conversation: header.conversation, type: draft.type, suite: header.suite,
                    content: sealed.content, nonce: sealed.nonce, recipientKeys: recipientKeys,
                    recipientKeyID: recipientKeyID, replyTo: draft.replyTo, expiresIn: draft.expiresIn,
                    echoIsReply: echoIsReply, isUrgent: draft.isUrgent))
            return
        }
        let content = SealedContent(
            suite: header.suite, content: sealed.content, nonce: sealed.nonce, recipientKeys: recipientKeys,
            recipientKeyID: recipientKeyID)
        self = .change(
            ChangeMessage(
                id: header.id, conversation: header.conversation, message: change.target,
                change: change.kind.sealing(content)))
    }

    /// Reads back what was kept.
    ///
    /// - Returns: `nil` for what cannot be repeated.
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

    /// The devices that it names without anything sealed for them.
    var leftOut: [DeviceAddress] { recipientKeys.filter(\.isLeftOut).map(\.address) }

    /// The users for whose devices it names what is sealed for them.
    var sealedFor: [UserID] { Set(recipientKeys.filter { !$0.isLeftOut }.map(\.address.user)).sorted() }

    var request: any Request {
        switch self {
        case .message(let message): message
        case .change(let change): change.request
        }
    }
}

extension PeerRecipients {
    /// What was sealed for each device, with the name of the key that it was sealed for; and those that are left out.
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
    /// What is to be sent; `nil` for what cannot be read.
    var draft: Draft? { content.flatMap { Draft(payload: $0) } }
}
