import ParleyDeviceStore
import ParleyProtocol

/// What a device has to send, and what became of it: the order, the changes that are shown before they are sent, the
/// outcomes, and the records that have yet to come.
///
/// One of the four owners of a client's state (decision 0045). It does no I/O: what happened goes in, and what
/// follows comes back as ``Effect``s, which ``OutboxEffects`` carries out in their order. The messages themselves are
/// in the device's store.
final class Outbox {
    private var queue = SendQueue()
    private var changes = PendingChanges()
    private var outcomes = SentMessages()
    /// The devices that messages under way leave out, reported once they are sent.
    private var leftOut: [MessageID: [DeviceAddress]] = [:]
    /// What the gateway has refused last in each conversation for being sealed for other devices than it wants.
    private var refusals: [ConversationID: RefusedSeal] = [:]
    /// Messages that the gateway has accepted and whose records have to come.
    private var echoes: [ExpectedEcho] = []
    /// Whether there was no room to ask for some messages to be sealed anew.
    private var hasPostponedRequests = false

    /// How long a record may take to come by itself.
    static let echoPatience: Duration = .seconds(2)

    /// What follows from a change of the outbox.
    enum Effect: Equatable {
        case emit(Notice)
        /// Whoever waits for the outcome of a message looks again.
        case wake(MessageID)
        /// The gateway has given a message its place.
        case accepted(SentMessage, in: ConversationID)
        /// Its record is to come by itself before ``Outbox/nextEchoTime``.
        case awaitRecord
        /// Its record did not come: it is fetched.
        case fetchRecord(SentMessage, in: ConversationID)
        /// It leaves the queue on disk.
        case discard(MessageID)
        /// On disk, it is not tried any more.
        case failed(MessageID, SendError)
        /// A message has changed: it is shown without a change that is not sent any more.
        case show(MessageID, in: ConversationID)
        /// No request to seal anew waits any more: those that there was no room for have their turn.
        case requestPostponed
    }

    /// What is to be done with the message that was under way.
    enum Verdict: Equatable {
        case done([Effect])
        /// It is sealed for the devices that there are now.
        case reseal(Rejection.DeviceDifference?)
    }

    /// What the outbox has to emit as an event.
    enum Notice: Equatable {
        case sent(MessageID, in: ConversationID)
        case failed(MessageID, in: ConversationID, SendError)
        case leftOut(MessageID, in: ConversationID, [DeviceAddress])
    }

    // MARK: What waits

    var isFull: Bool { queue.isFull }

    func contains(_ id: MessageID) -> Bool { queue.contains(id) }

    /// Queues what waits on disk.
    ///
    /// - Parameters:
    ///   - position: when it was written, among the others.
    ///   - draft: `nil` for what cannot be read.
    func insert(_ id: MessageID, in conversation: ConversationID, position: Int, _ draft: Draft?) {
        queue.insert(id, in: conversation, position: position)
        if let draft, draft.change != nil { changes.add(id, draft) }
    }

    /// Puts a failed message back into the queue.
    func retry(_ id: MessageID, in conversation: ConversationID, position: Int, _ draft: Draft?) {
        outcomes.forget(id)
        insert(id, in: conversation, position: position, draft)
    }

    /// The app takes a message back.
    func discard(_ id: MessageID, in conversation: ConversationID) -> [Effect] {
        queue.remove(id)
        leftOut[id] = nil
        outcomes.record(id, .failure(.discarded))
        return withdraw(id, in: conversation) + [.wake(id)]
    }

    /// A change is not sent any more: what it was about is shown without it.
    private func withdraw(_ id: MessageID, in conversation: ConversationID) -> [Effect] {
        changes.remove(id).map { [.show($0, in: conversation)] } ?? []
    }

    // MARK: What becomes of it

    /// What became of a message of this client; `nil` for one that waits, or of which nothing is remembered.
    func outcome(of id: MessageID) -> Result<SentMessage, ClientError>? { outcomes[id] }

    /// Whether the gateway has it, though its record has yet to come.
    func isAccepted(_ id: MessageID) -> Bool {
        if case .success? = outcomes[id] { true } else { false }
    }

    /// What has become of a message, with the changes of this device that wait to be sent.
    func applyPending(to changes: MessageChanges, of message: MessageID, by user: UserID) -> MessageChanges {
        self.changes.applied(to: changes, of: message, by: user)
    }

    // MARK: Sending

    /// What to send now. It is under way until ``handle(_:of:in:isHeld:now:using:)``.
    func next(now: ContinuousClock.Instant) -> SendQueue.Next { queue.next(now: now) }

    /// There is a new connection: what waited because of the old one goes at once.
    func markConnected() { queue.markConnected() }

    /// Conversations in which something waits until a key is accepted.
    var waitingForKeys: Set<ConversationID> { queue.waitingForKeys }

    /// The key was accepted.
    func release(_ conversation: ConversationID) { queue.release(conversation) }

    /// A message is about to be sent that these devices cannot read, which is reported once it is sent.
    func leaveOut(_ devices: [DeviceAddress]?, of id: MessageID) { leftOut[id] = devices }

    /// Handles what came of the message under way.
    ///
    /// - Parameter isHeld: whether the record of an accepted message is in the log already.
    func handle(
        _ answer: SendAnswer, of id: MessageID, in conversation: ConversationID, isHeld: (SentMessage) -> Bool,
        now: ContinuousClock.Instant, using generator: inout some RandomNumberGenerator
    ) -> Verdict {
        switch queue.handle(answer, now: now, using: &generator) {
        case .wait: return .done([])
        case .reseal(let difference): return .reseal(difference)
        case .failed(let reason): return .done(fail(id, in: conversation, reason))
        case .sent(let message):
            var effects: [Effect] = [.accepted(message, in: conversation)]
            if !isHeld(message) {
                echoes.append(
                    ExpectedEcho(conversation: conversation, message: message, deadline: now + Outbox.echoPatience))
                effects.append(.awaitRecord)
            }
            outcomes.record(id, .success(message))
            return .done(
                effects + [.emit(.sent(id, in: conversation))] + disclose(id, in: conversation) + [.wake(id)])
        }
    }

    private func fail(_ id: MessageID, in conversation: ConversationID, _ reason: SendError) -> [Effect] {
        leftOut[id] = nil
        if let draft = changes.draft(id), draft.resending != nil {
            // No person has written it: no event is emitted.
            changes.remove(id)
            return [.discard(id)] + endRequest(draft)
        }
        outcomes.record(id, .failure(.failed(reason)))
        return [.failed(id, reason), .emit(.failed(id, in: conversation, reason))]
            + withdraw(id, in: conversation) + [.wake(id)]
    }

    /// Another device of the user's has made the same change first: its record stands for this one, which never comes.
    func supersede(_ id: MessageID) -> [Effect] {
        changes.remove(id)
        return [.discard(id)]
    }

    /// The gateway wants a message sealed for other devices. Members and keys are fetched anew after each such refusal.
    ///
    /// - Returns: whether it lists the same as before and refuses the same again: then it contradicts itself.
    func recordRefusal(of message: MessageID, in conversation: ConversationID, for recipients: PeerRecipients) -> Bool {
        let refused = RefusedSeal(message: message, recipients: recipients)
        return refusals.updateValue(refused, forKey: conversation) == refused
    }

    // MARK: In the log

    /// One of this device's own messages is in the log.
    func recordCommitted(_ record: MessageRecord) -> [Effect] {
        let (id, conversation) = (record.id, record.conversation)
        queue.remove(id)
        let draft = changes.draft(id)
        changes.remove(id)
        var effects = endRequest(draft)
        if outcomes[id] == nil { effects.append(.emit(.sent(id, in: conversation))) }
        effects += disclose(id, in: conversation)
        outcomes.record(id, .success(SentMessage(record)))
        return effects + [.wake(id)]
    }

    /// Whom a message that was sent has left out, once.
    private func disclose(_ id: MessageID, in conversation: ConversationID) -> [Effect] {
        guard let devices = leftOut.removeValue(forKey: id), !devices.isEmpty else { return [] }
        return [.emit(.leftOut(id, in: conversation, devices))]
    }

    /// When a record that did not come is to be fetched.
    var nextEchoTime: ContinuousClock.Instant? { echoes.map(\.deadline).min() }

    /// Gives up waiting for records that are there, will not come, or did not come in time.
    ///
    /// - Parameter log: what is held of a conversation.
    func expireEchoes(
        now: ContinuousClock.Instant, log: (ConversationID) -> ConversationLog<MessageRecord>?
    ) -> [Effect] {
        var effects: [Effect] = []
        echoes.removeAll { echo in
            let (message, log) = (echo.message, log(echo.conversation))
            if log?.holds(message.epoch, message.seq) == true { return true }
            if log?.isBefore(message.epoch, message.seq) == true {
                // Sent before the database was damaged, and further back than what was fetched anew: its record comes
                // when somebody reads so far.
                effects.append(.discard(message.id))
                return true
            }
            guard echo.deadline <= now else { return false }
            effects.append(.fetchRecord(message, in: echo.conversation))
            return true
        }
        return effects
    }

    /// The history of a conversation began anew: what the gateway had accepted, and whose record has not come, is
    /// perhaps lost with the old one.
    ///
    /// - Returns: those messages. A repeat does nothing twice.
    func removeEchoes(of conversation: ConversationID) -> [MessageID] {
        defer { echoes.removeAll { $0.conversation == conversation } }
        return echoes.filter { $0.conversation == conversation }.map(\.message.id)
    }

    // MARK: What the client sends by itself

    /// How many of the changes that wait the client has written by itself.
    var pendingResends: [Resending: Int] { changes.resending }

    /// There was no room for a request to seal a message anew: it has its turn when none waits any more.
    func postponeRequest() { hasPostponedRequests = true }

    private func endRequest(_ draft: Draft?) -> [Effect] {
        guard hasPostponedRequests, draft?.resending == .request, changes.resending[.request] == nil else { return [] }
        hasPostponedRequests = false
        return [.requestPostponed]
    }
}

/// A message that the gateway has accepted, and whose record has to come: by itself, or else it is fetched.
struct ExpectedEcho: Sendable {
    let conversation: ConversationID
    let message: SentMessage
    let deadline: ContinuousClock.Instant
}

/// A message that the gateway has refused with `stale_devices`, and for which devices it was then.
struct RefusedSeal: Equatable {
    let message: MessageID
    let recipients: PeerRecipients
}

extension SentMessage {
    init(_ record: MessageRecord) {
        self.init(id: record.id, epoch: record.epoch, seq: record.seq, createdAt: record.createdAt)
    }
}

extension ClientEvent {
    init(_ notice: Outbox.Notice) {
        self =
            switch notice {
            case .sent(let id, let conversation): .status(id, in: conversation, .sent)
            case .failed(let id, let conversation, let reason): .failed(id, in: conversation, reason)
            case .leftOut(let id, let conversation, let devices): .leftOut(id, in: conversation, devices)
            }
    }
}
