import ParleyCrypto
import ParleyProtocol

// What becomes of a draft once it is sealed, and of what was kept of that to be repeated.

/// What a draft is sent as, the very same each time.
enum SealedDraft: Sendable {
    case message(SendMessage)
    case change(ChangeMessage)

    /// - Parameter echoIsReply: whether its sender hears it.
    init(_ sealed: SealedMessage, _ header: MessageHeader, _ draft: Draft, echoIsReply: Bool) {
        guard let change = draft.change else {
            self = .message(
                SendMessage(
                    id: header.id, conversation: header.conversation, type: draft.type, suite: header.suite,
                    content: sealed.content, nonce: sealed.nonce, recipientKeys: sealed.recipientKeys,
                    replyTo: draft.replyTo, expiresIn: draft.expiresIn, echoIsReply: echoIsReply))
            return
        }
        let content = SealedContent(
            suite: header.suite, content: sealed.content, nonce: sealed.nonce, recipientKeys: sealed.recipientKeys)
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
        switch try? Request(draft.requestKind, object) {
        case .sendMessage(let message)?: self = .message(message)
        case .changeMessage(let change)?: self = .change(change)
        case .some, nil: return nil
        }
    }

    var request: Request {
        switch self {
        case .message(let message): .sendMessage(message)
        case .change(let change): .changeMessage(change)
        }
    }
}

extension Draft {
    fileprivate var requestKind: RequestKind {
        switch change?.kind {
        case .edit: .editMessage
        case .delete: .deleteMessage
        case .reaction: .reactToMessage
        case nil: .sendMessage
        }
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
