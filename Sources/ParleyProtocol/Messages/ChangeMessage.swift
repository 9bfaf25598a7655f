/// A change to a message, itself a record of the log: the request of `messages/edit`, `messages/delete` and
/// `messages/react`.
public struct ChangeMessage: Hashable, Sendable {
    public enum Change: Hashable, Sendable {
        /// The new text.
        case edit(SealedContent)
        /// For everybody.
        case delete
        /// The sealed reaction; an empty one removes the sender's reaction.
        case react(SealedContent)
    }

    /// Of this change.
    public let id: MessageID
    public let conversation: ConversationID
    /// The changed message.
    public let message: MessageID
    public let change: Change

    public init(id: MessageID, conversation: ConversationID, message: MessageID, change: Change) {
        (self.id, self.conversation, self.message, self.change) = (id, conversation, message, change)
    }

    /// The kind of the change's record.
    public var kind: RecordKind {
        switch change {
        case .edit: .edit
        case .delete: .delete
        case .react: .reaction
        }
    }

    public var sealed: SealedContent? {
        switch change {
        case .edit(let sealed), .react(let sealed): sealed
        case .delete: nil
        }
    }

    func identityPreimage(sender: DeviceAddress) -> [UInt8] {
        let preimage = IdentityPreimage(of: sender, reserving: sealed?.content.count ?? 0).field(conversation)
            .field(kind.rawValue).field(message)
        guard let sealed else { return preimage.bytes }
        return preimage.fields(sealed).fieldIfPresent(sealed.recipientKeyID?.bytes).bytes
    }
}
