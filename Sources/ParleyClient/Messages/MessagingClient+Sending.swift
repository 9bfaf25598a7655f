import ParleyDeviceStore
import ParleyProtocol

// Sending: each call stores its message before it returns.

extension MessagingClient {
    /// Stores a message in the send queue. It is sent as soon as possible, after earlier ones of its conversation.
    ///
    /// - Parameters:
    ///   - expiresIn: 1 to 31,536,000 whole seconds, after which the message is deleted on every device.
    ///   - suite: `nil` for the default: `x25519-hkdf-sha256-aes256gcm`, in groups `group-box`.
    ///   - isUrgent: whether recipients are notified in their quiet hours, too; not those who have muted the
    ///     conversation.
    /// - Throws: ``ClientError/content(_:)`` for invalid content, ``ClientError/queueFull``,
    ///   ``ClientError/storage(_:)``.
    /// - Returns: its id, for ``outcome(of:)`` and the events.
    public func send(
        _ content: MessageContent, to conversation: ConversationID, replyTo: MessageID? = nil,
        expiresIn: Duration? = nil,
        suite: Suite.Bound? = nil, isUrgent: Bool = false
    ) throws(ClientError) -> MessageID {
        let seconds = try expiresIn.map { time throws(ClientError) in try time.expirySeconds() }
        let (type, json) = try content.sendable()
        var draft = Draft(
            type: type, content: json, replyTo: replyTo, expiresIn: seconds, suite: suite, writtenAt: .now)
        draft.isUrgent = isUrgent
        let id = try context.drafts.enqueue(draft, in: conversation)
        if context.signals.stopTyping(conversation) { context.wakeUps.typing.signal() }
        hub.emit(.messageAdded(draft.message(id, in: conversation, of: device, .queued)))
        return id
    }

    /// Waits until a message is in the gateway's log.
    ///
    /// - Throws: ``ClientError/failed(_:)``, ``ClientError/discarded``, ``ClientError/unknownMessage(_:in:)``. Without
    ///   a connection it waits for one.
    public func outcome(of id: MessageID) async throws(ClientError) -> SentMessage {
        try await context.waiters.wait(for: .outcome(id)) { () throws(ClientError) -> SentMessage? in
            if let outcome = context.outbox.outcome(of: id) { return try outcome.get() }
            if let cause = context.progress.end { throw .ended(cause) }
            return context.outbox.queue.contains(id) ? nil : try context.drafts.keptOutcome(of: id)
        }
    }

    /// The failed messages, in order of writing; their status has the reason.
    public func failedMessages() throws(ClientError) -> [ChatMessage] {
        try context.chatMessages.waiting(in: nil).filter { message in
            if case .failed? = message.status { true } else { false }
        }
    }

    /// Sends a failed message again, sealed anew, at its old position in the queue.
    public func retry(_ id: MessageID) throws(ClientError) { try context.drafts.retry(id) }

    /// Removes a message from the queue. It may have reached the gateway already.
    public func discard(_ id: MessageID) throws(ClientError) { try context.drafts.discard(id) }
}

extension MessagingClient {
    /// Edits one of the user's own messages, for everybody.
    ///
    /// The change is stored, shown at once, and sent like a message.
    ///
    /// - Parameter content: of the same type.
    /// - Throws: ``ClientError/unknownMessage(_:in:)``, ``ClientError/notOwn(_:)``, and what
    ///   ``send(_:to:replyTo:expiresIn:suite:isUrgent:)`` throws.
    /// - Returns: the id of the change, for ``outcome(of:)`` and the events.
    @discardableResult
    public func edit(
        _ message: MessageID, in conversation: ConversationID, to content: MessageContent
    ) throws(ClientError) -> MessageID {
        let target = try context.drafts.ownTarget(message, in: conversation)
        let (type, json) = try content.sendable()
        guard type == target.type else { throw .content(.invalid("message_type: another than the message's")) }
        return try context.drafts.change(.edit, target, json)
    }

    /// Deletes one of the user's own messages, for everybody.
    ///
    /// - Throws: as ``edit(_:in:to:)``.
    @discardableResult
    public func delete(_ message: MessageID, in conversation: ConversationID) throws(ClientError) -> MessageID {
        try context.drafts.change(.delete, try context.drafts.ownTarget(message, in: conversation), [])
    }

    /// Reacts to a message, replacing an earlier reaction.
    ///
    /// - Parameter emoji: at most 64 Unicode scalars; an empty one removes the reaction.
    /// - Throws: as ``edit(_:in:to:)``, but not ``ClientError/notOwn(_:)``.
    @discardableResult
    public func react(
        to message: MessageID, in conversation: ConversationID, with emoji: String
    ) throws(ClientError) -> MessageID {
        let target = try context.drafts.target(message, in: conversation)
        let json: [UInt8]
        do throws(ContentError) {
            json = try MessageContent.reaction(emoji).encoded()
        } catch {
            throw .content(error)
        }
        return try context.drafts.change(.reaction, target, json)
    }
}

extension MessageContent {
    /// Its type and its JSON, for the queue.
    func sendable() throws(ClientError) -> (MessageType.Sendable, [UInt8]) {
        do throws(ContentError) {
            let json = try encoded()
            guard let type else { throw .unknownType("") }
            return (type, json)
        } catch {
            throw .content(error)
        }
    }
}

/// Puts drafts of a person into the stored queue, and removes them.
struct Drafts {
    let outbox: Outbox, logs: ConversationLogs, keyring: Keyring
    let device: DeviceAddress, disk: StoreAccess, hub: EventHub
    let chatMessages: ChatMessages, outboxEffects: OutboxEffects, sendSignal: WakeSignal
    let uploads: Uploads, files: SealedFiles, uploadSignals: [WakeSignal]

    func enqueue(_ draft: Draft, in conversation: ConversationID) throws(ClientError) -> MessageID {
        guard !outbox.queue.isFull else { throw .queueFull }
        let id = MessageID.random()
        let item = try disk.write { transaction in
            try transaction.enqueue(id, in: conversation, content: draft.json)
            return try transaction.facts.queued(id)
        }
        outbox.insert(id, in: conversation, position: item?.position ?? .max, draft)
        sendSignal.signal()
        return id
    }

    /// Stores a message whose sealed file lies ready. It is sent when the door has the file.
    func enqueue(
        _ draft: Draft, _ job: UploadJob, from source: UploadSource?
    ) throws(ClientError) {
        guard !outbox.queue.isFull else { throw .queueFull }
        guard !uploads.isFull else { throw .file(.tooMany) }
        let item = try disk.write { transaction in
            try transaction.enqueue(job.message, in: job.conversation, content: draft.json)
            try transaction.addUpload(job.blob, of: job.message, source: source?.json ?? [])
            return try transaction.facts.queued(job.message)
        }
        uploads.insert(Uploads.Entry(job, position: item?.position ?? .max, source: source))
        for signal in uploadSignals { signal.signal() }
    }

    func retry(_ id: MessageID) throws(ClientError) {
        let item = try disk.write { transaction -> QueuedMessage? in
            guard try transaction.retry(id) else { return nil }
            try transaction.setRequest(nil, of: id)
            return try transaction.facts.queued(id)
        }
        guard let item else { throw .unknownMessage(id) }
        // It may have failed for lack of keys that are listed by now.
        for user in logs.members(of: item.conversation) { keyring.freshness.markStale(user) }
        let draft = item.draft
        if let job = UploadJob(item) {
            outbox.forgetOutcome(of: id)
            disk.writeBestEffort { try $0.setUpload(.pending, of: id) }
            uploads.insert(Uploads.Entry(job, position: item.position, source: nil))
            for signal in uploadSignals { signal.signal() }
        } else {
            outbox.retry(id, in: item.conversation, position: item.position, draft)
        }
        if let change = draft?.change { chatMessages.emit(change.target, in: item.conversation) }
        hub.emit(.status(id, in: item.conversation, .queued))
        sendSignal.signal()
    }

    func discard(_ id: MessageID) throws(ClientError) {
        let item = try disk.write { transaction -> QueuedMessage? in
            let item = try transaction.facts.queued(id)
            try transaction.discard(id)
            try transaction.removeUpload(of: id)
            return item
        }
        guard let item else { throw .unknownMessage(id) }
        if let job = UploadJob(item) {
            _ = uploads.remove(id)
            try? files.removeOutgoing(job.blob)
        }
        outboxEffects.carryOut(outbox.discard(id, in: item.conversation))
        if item.draft?.change == nil { hub.emit(.messageRemoved(id, in: item.conversation, because: .discarded)) }
    }

    /// The outcome of a message of an earlier client.
    func keptOutcome(of id: MessageID) throws(ClientError) -> SentMessage? {
        let ids = logs.all.map(\.id)
        let (item, message) = try disk.read { snapshot in
            (try snapshot.queued(id), try ids.lazy.compactMap { try snapshot.message(id, in: $0) }.first)
        }
        if case .failed(let reason)? = item?.state { throw .failed(SendError(kept: reason)) }
        guard case .whole(let stored)? = message, let kept = KeptMessage(stored) else {
            guard item != nil else { throw .unknownMessage(id) }
            return nil
        }
        return SentMessage(kept.record)
    }

    // MARK: Changes

    struct Target {
        let id: MessageID
        let conversation: ConversationID
        let type: MessageType.Sendable
        fileprivate let sender: UserID
    }

    func ownTarget(_ id: MessageID, in conversation: ConversationID) throws(ClientError) -> Target {
        let target = try target(id, in: conversation)
        guard target.sender == device.user else { throw .notOwn(id) }
        return target
    }

    func target(_ id: MessageID, in conversation: ConversationID) throws(ClientError) -> Target {
        guard let message = try chatMessages.message(id, in: conversation), message.kind == .known(.message),
            message.content != .removed, let type = message.type.value,
            let sendable = MessageType.Sendable(rawValue: type.rawValue)
        else { throw .unknownMessage(id) }
        return Target(id: id, conversation: conversation, type: sendable, sender: message.sender.user)
    }

    /// Queues a change of a message, and shows it at once.
    func change(_ kind: Draft.Kind, _ target: Target, _ content: [UInt8]) throws(ClientError) -> MessageID {
        let draft = Draft(
            type: target.type, content: content, writtenAt: .now,
            change: Draft.Change(kind: kind, target: target.id))
        let id = try enqueue(draft, in: target.conversation)
        chatMessages.emit(target.id, in: target.conversation)
        return id
    }
}
