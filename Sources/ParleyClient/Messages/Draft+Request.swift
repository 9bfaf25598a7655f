import ParleyCrypto
import ParleyProtocol

// What becomes of a draft once it is sealed, and of what was kept of that to be repeated.

/// What a draft is sent as, the very same each time.
enum SealedDraft: Sendable {
    case message(SendMessage)
    case change(ChangeMessage)

    /// - Parameters:
    ///   - recipients: those whom it was sealed for, and those whom it names only.
    ///   - echoIsReply: whether its sender hears it.
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
                    echoIsReply: echoIsReply))
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
            case nil: self = .message(try SendMessage(object))
            case .edit: self = .change(try EditMessage(object).change)
            case .delete: self = .change(try DeleteMessage(object).change)
            case .reaction: self = .change(try ReactToMessage(object).change)
            }
        } catch {
            return nil
        }
    }

    private var recipientKeys: [RecipientKey] {
        switch self {
        case .message(let message): message.recipientKeys ?? []
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
