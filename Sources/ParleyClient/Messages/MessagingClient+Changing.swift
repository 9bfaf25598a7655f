import ParleyDeviceStore
import ParleyProtocol

// Changes to messages: kept, sealed and sent like messages, and shown from the moment they are made.

extension MessagingClient {
    /// Puts something else in the place of what one of the user's own messages says, for everybody.
    ///
    /// It is kept on the device when this returns, shown at once, and sent as messages are, after what was written
    /// before it in the conversation.
    ///
    /// - Parameter content: of the same type.
    /// - Throws: ``ClientError/unknownMessage(_:)`` for what is no message here, ``ClientError/notOwn(_:)`` for somebody
    ///   else's, and what ``send(_:to:replyTo:expiresIn:suite:)`` throws.
    /// - Returns: the change's own id, by which ``outcome(of:)`` and the events tell what becomes of it.
    @discardableResult
    public func edit(
        _ message: MessageID, in conversation: ConversationID, to content: MessageContent
    ) throws(ClientError) -> MessageID {
        let target = try ownTarget(message, in: conversation)
        let (type, json) = try encoded(content)
        guard type == target.type else { throw .content(.invalid("message_type: another than the message's")) }
        return try change(.edit, target, json)
    }

    /// Deletes one of the user's own messages, for everybody.
    ///
    /// - Throws: as ``edit(_:in:to:)``.
    @discardableResult
    public func delete(_ message: MessageID, in conversation: ConversationID) throws(ClientError) -> MessageID {
        try change(.delete, try ownTarget(message, in: conversation), [])
    }

    /// Reacts to a message, in place of what the user has reacted before.
    ///
    /// - Parameter emoji: at most 64 Unicode scalars; an empty one takes the reaction back.
    /// - Throws: as ``edit(_:in:to:)``; others' messages can be reacted to.
    @discardableResult
    public func react(
        to message: MessageID, in conversation: ConversationID, with emoji: String
    ) throws(ClientError) -> MessageID {
        let target = try target(message, in: conversation)
        let json: [UInt8]
        do throws(ContentError) {
            json = try MessageContent.reaction(emoji).encoded()
        } catch {
            throw .content(error)
        }
        return try change(.reaction, target, json)
    }

    // MARK: What is changed

    /// A message that may be changed.
    private struct Target {
        let id: MessageID
        let conversation: ConversationID
        let type: MessageType.Sendable
        let sender: UserID
    }

    private func ownTarget(_ id: MessageID, in conversation: ConversationID) throws(ClientError) -> Target {
        let target = try target(id, in: conversation)
        guard target.sender == device.user else { throw .notOwn(id) }
        return target
    }

    private func target(_ id: MessageID, in conversation: ConversationID) throws(ClientError) -> Target {
        guard let message = try shown(id, in: conversation), message.kind == .known(.message),
            message.content != .removed, let type = message.type.value,
            let sendable = MessageType.Sendable(rawValue: type.rawValue)
        else { throw .unknownMessage(id) }
        return Target(id: id, conversation: conversation, type: sendable, sender: message.sender.user)
    }

    private func change(_ kind: Draft.Kind, _ target: Target, _ content: [UInt8]) throws(ClientError) -> MessageID {
        let draft = Draft(
            type: target.type, content: content, replyTo: nil, expiresIn: nil, suite: nil, writtenAt: .now,
            change: Draft.Change(kind: kind, target: target.id))
        let id = try enqueue(draft, in: target.conversation)
        tell(target.id, in: target.conversation)
        return id
    }

    // MARK: What is shown

    /// A message as it is shown now, in the log or on its way there.
    func shown(_ id: MessageID, in conversation: ConversationID) throws(ClientError) -> ChatMessage? {
        let (stored, queued) = try read { (try $0.message(id, in: conversation), try $0.queued(id)) }
        if let kept = KeptMessage(stored) { return chatMessage(kept) }
        return queued.flatMap { $0.conversation == conversation ? waiting($0) : nil }
    }

    /// Gives out a message of which something is otherwise.
    func tell(_ id: MessageID, in conversation: ConversationID) {
        if let message = try? shown(id, in: conversation) { hub.emit(.message(message)) }
    }

    /// A change is not sent any more: what it was about is shown without it.
    func withdrawn(_ id: MessageID, in conversation: ConversationID) {
        if let target = pendingChanges.remove(id) { tell(target, in: conversation) }
    }
}
