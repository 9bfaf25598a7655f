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

    var payload: [UInt8] {
        var writer = JSONWriter()
        writer.object { object in
            object.member("type", type.rawValue)
            object.member("content", base64: content)
            object.member("reply_to", replyTo)
            object.member("expires_in", expiresIn)
            object.member("suite", suite?.rawValue)
            object.member("written_at", writtenAt)
            if isUrgent { object.member("is_urgent", true) }
            if let change {
                object.member("kind", change.kind.rawValue)
                object.member("target_id", change.target)
            }
            object.member("resending", resending?.rawValue)
            if !onlyFor.isEmpty { object.member("only_for", array: onlyFor) { $0.value($1) } }
        }
        return writer.finish()
    }
}

extension Draft {
    init?(payload: [UInt8]) {
        guard let object = try? JSONObject(parsing: payload) else { return nil }
        try? self.init(object)
    }

    private init?(_ object: JSONObject) throws(Rejection) {
        guard let type = try object.choice("type", as: MessageType.Sendable.self),
            let content = try object.base64("content", lengths: 0...Limits.packetBytes),
            let written = try object.text("written_at", maximum: 24), let writtenAt = Timestamp(written)
        else { return nil }
        self.init(
            type: type, content: content, replyTo: try object.uuid("reply_to"),
            expiresIn: try object.integer("expires_in", in: Limits.expirySeconds), suite: try object.choice("suite"),
            writtenAt: writtenAt)
        isUrgent = try object.bool("is_urgent") ?? false
        if let kind = try object.choice("kind", as: Kind.self) {
            change = Change(kind: kind, target: try object.uuid("target_id").required("target_id"))
        }
        resending = try object.choice("resending")
        onlyFor = try object.levels("only_for", maximum: Limits.recipientKeys) ?? []
    }
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
