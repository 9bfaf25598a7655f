import ParleyProtocol
import ParleyRules
import ParleyStore

/// Carries a decision out: it may write and publish, and has no way to refuse.
///
/// An error here is the database's or a fault of ours: then the whole transaction is rolled back.
struct ApplyContext {
    let route: ReplyRoute
    private let batch: Batch

    init(_ route: ReplyRoute, _ batch: Batch) {
        self.route = route
        self.batch = batch
    }

    var sender: DeviceAddress { route.address }
    var now: Timestamp { batch.now }
    var steady: Timestamp { batch.steady }
    var settings: Settings { batch.environment.settings }
    var boards: BoardUpdates { BoardUpdates(batch: batch) }

    // MARK: Writing

    /// The transaction, with everything written that was pending.
    var transaction: WriteTransaction { get throws(StoreError) { try batch.writable() } }

    /// Reads what the transaction has written so far.
    func read<Result>(_ body: (Snapshot) throws -> Result) throws(StoreError) -> Result {
        try transaction.read(body)
    }

    /// Appends a record to the log of its conversation, counts it for its sender and announces it.
    ///
    /// - Parameters:
    ///   - digest: of the request, 16 bytes.
    ///   - isUrgent: whether it is notified of in quiet hours too.
    /// - Returns: the position of its event.
    @discardableResult
    func append(
        _ record: MessageRecord, to conversation: inout ConversationState, digest: [UInt8], isUrgent: Bool = false
    ) throws(StoreError) -> StreamPosition {
        let position = try batch.nextPosition()
        let isWithheld = conversation.isWithheld(of: record.sender.user)
        batch.effects.writes.append(
            record, to: conversation.key, position: position, digest: digest, isWithheld: isWithheld)
        try charge(record.storageCost, to: record.sender.user)
        conversation.facts.append(record, isWithheld: isWithheld)
        batch.append(record, to: conversation, digest: digest, isWithheld: isWithheld)
        if isWithheld { try transaction.conversations.updateOwnEnd(of: record.sender.user, in: conversation) }
        if let disappearsAt = record.disappearsAt, record.content != nil {
            batch.afterCommit.wake(ExpiryDuty.self, at: disappearsAt)
        }
        batch.effects.outgoing.announce(record, position: position)
        guard !isWithheld else { return position }
        let concerned = pushTriggers.message(record, in: conversation, at: position, isUrgent: isUrgent)
        if concerned > 0 { try charge(StorageCost.notification * concerned, to: record.sender.user) }
        return position
    }

    /// Appends a record of the type `system`, by the sender.
    func append(
        _ event: SystemEvent, about user: UserID?, to conversation: inout ConversationState
    ) throws(StoreError) {
        let seq: Int
        do throws(Rejection) {
            seq = try conversation.facts.nextSeq()
        } catch {
            throw .inconsistent(.fullLog)
        }
        let record = MessageRecord(
            SystemNotice(event, user: user, by: sender.user), id: .random(), conversation: conversation.facts.id,
            by: sender, epoch: conversation.facts.epoch, seq: seq, createdAt: conversation.facts.nextCreation(now))
        try append(record, to: &conversation, digest: SystemNotice.digest)
    }

    /// Advances watermarks of the sender.
    func advance(_ advance: ReceiptRule.Advance, in conversation: ConversationState) {
        batch.effects.writes.advance(advance, of: sender, in: conversation.key)
        batch.advance(advance, FactKeys.Receipt(conversation: conversation.facts.id, reader: sender))
    }

    /// Counts stored bytes of a user.
    func charge(_ bytes: Int, to user: UserID) throws(StoreError) {
        try batch.loadStorage(of: user)
        batch.environment.storage.ledger.charge(bytes, to: user)
    }

    /// Replaces the facts of a conversation whose change is written.
    func replace(_ conversation: ConversationState) { batch.replace(conversation) }

    /// The conversation as it is in the transaction; it must exist.
    func conversation(_ id: ConversationID) throws(StoreError) -> ConversationState {
        guard let conversation = try batch.conversation(id) else {
            throw .inconsistent(.missingConversation)
        }
        return conversation
    }

    /// The conversation as an object, as a member sees it or as all do.
    func object(of conversation: ConversationState, seenBy user: UserID? = nil) throws(StoreError) -> Conversation {
        guard let object = try read({ try $0.conversations.object(conversation.key, seenBy: user) }) else {
            throw .inconsistent(.missingConversation)
        }
        return object
    }

    /// A device, its keys or its token have changed: they are read again.
    func drop(_ address: DeviceAddress) { batch.drop(address) }

    /// The contacts of a user have changed: they are read again.
    func dropContacts(of user: UserID) throws(StoreError) { try batch.dropContacts(of: user) }

    // MARK: Consequences

    /// Answers the request.
    ///
    /// - Parameters:
    ///   - isSecret: see `Outgoing.accept`.
    ///   - unread: the number of unread messages that the data leave room for.
    func accept(isSecret: Bool = false, unread: UnreadScope? = nil, _ data: (inout JSONWriter) -> Void) {
        batch.effects.outgoing.accept(route, isSecret: isSecret, unread: unread, data)
    }

    /// Refuses the request by a decision that writes, such as that of a wrong code, which counts.
    func refuse(_ rejection: Rejection) {
        batch.recordRejection(rejection)
        batch.effects.outgoing.reject(route, rejection)
    }

    var tokens: TokenIssuer { batch.environment.tokens }

    @discardableResult
    func publish(
        _ topic: Topic, retain: Bool = false, unread: UnreadScope? = nil, _ payload: (inout JSONWriter) -> Void
    ) throws(StoreError) -> StreamPosition {
        try batch.publish(topic, retain: retain, unread: unread, payload)
    }

    var feed: BatchFeed { batch.feed }

    var pushTriggers: PushTriggers { batch.pushTriggers }

    /// Changes who receives what.
    func changeAudience(_ change: AudienceChange) { batch.effects.audience.append(change) }

    /// Publishes a device's status to the broker's plugin.
    func announceStatus(of address: DeviceAddress) throws(StoreError) { try batch.announceStatus(of: address) }

    var afterCommit: AfterCommit {
        get { batch.afterCommit }
        nonmutating _modify { yield &batch.afterCommit }
    }

    /// Announces typing, in order with the events and replies of the transaction.
    func changeTyping(_ change: AfterCommit.TypingChange) {
        batch.afterCommit.typing.append((itemsBefore: batch.effects.outgoing.items.count, change: change))
    }

    /// A change of workouts or metrics, which challenges count.
    func markProgress(_ change: ProgressChange) { batch.markProgress(change) }

    /// Makes `keys.changed` due: the reply to `keys/get` about a user has changed.
    func markKeysChanged(of user: UserID) throws(StoreError) {
        try transaction.keyChanges.mark(of: user, at: batch.steady)
        batch.afterCommit.wake(KeyChangeDuty.self, at: batch.steady)
    }

    /// Makes `info` of a user's groups due again: their display name has changed.
    func markNameChanged(of user: UserID) throws(StoreError) {
        let due = batch.steady.advanced(by: InfoDuty.nameDelay)
        try transaction.nameChanges.mark(of: user, dueAt: due)
        batch.afterCommit.wake(InfoDuty.self, at: due)
    }
}

extension SystemNotice {
    /// No request made the record: a message with its id is refused because the id is in use.
    fileprivate static let digest = [UInt8](repeating: 0, count: 16)
}
