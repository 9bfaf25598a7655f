import ParleyProtocol

/// The messages that a device sends: their order, unsent changes, outcomes, and expected echoes.
///
/// An owner of state (decision 0067): it does no I/O. What follows comes back as ``Effect``s, which ``OutboxEffects``
/// applies in order. The messages are in the device's store.
final class Outbox {
    private(set) var queue = SendQueue()
    private(set) var changes = PendingChanges()
    private var outcomes = SentMessages()
    /// The devices that messages in flight leave out, reported once they are sent.
    private var leftOut: [MessageID: [DeviceAddress]] = [:]
    /// The last refusal of each conversation because of the wrong devices.
    private var refusals: [ConversationID: RefusedSeal] = [:]
    /// Accepted messages whose records have yet to come.
    private var echoes: [ExpectedEcho] = []
    /// Whether resend requests were postponed for lack of room.
    private var hasPostponedRequests = false

    /// The time for an echo to arrive before it is fetched.
    static let echoPatience: Duration = .seconds(2)

    enum Effect: Equatable {
        case emit(Notice)
        /// Wakes tasks that wait for a message's outcome.
        case wake(MessageID)
        /// The gateway has accepted a message.
        case accepted(SentMessage, in: ConversationID)
        /// The echo is expected before ``Outbox/nextEchoTime``.
        case awaitRecord
        /// The echo did not come: it is fetched.
        case fetchRecord(SentMessage, in: ConversationID)
        /// Removes it from the stored queue.
        case discard(MessageID)
        /// Marks it as failed in the stored queue.
        case failed(MessageID, SendError)
        /// Emits a message without a withdrawn change.
        case show(MessageID, in: ConversationID)
        /// Postponed resend requests are due.
        case resumePostponedRequests
    }

    enum Verdict: Equatable {
        case done([Effect])
        /// Seal it again, for the present devices.
        case reseal(Rejection.DeviceDifference?)
    }

    enum Notice: Equatable {
        case sent(MessageID, in: ConversationID)
        case failed(MessageID, in: ConversationID, SendError)
        case leftOut(MessageID, in: ConversationID, [DeviceAddress])
    }

    // MARK: What waits

    /// Adds a stored message to the queue.
    ///
    /// - Parameters:
    ///   - position: in order of writing.
    ///   - draft: `nil` if it is unreadable.
    func insert(_ id: MessageID, in conversation: ConversationID, position: Int, _ draft: Draft?) {
        queue.insert(id, in: conversation, position: position)
        if let draft, draft.change != nil { changes.add(id, draft) }
    }

    func retry(_ id: MessageID, in conversation: ConversationID, position: Int, _ draft: Draft?) {
        outcomes.forget(id)
        insert(id, in: conversation, position: position, draft)
    }

    func discard(_ id: MessageID, in conversation: ConversationID) -> [Effect] {
        queue.remove(id)
        leftOut[id] = nil
        outcomes.record(id, .failure(.discarded))
        return withdraw(id, in: conversation) + [.wake(id)]
    }

    /// Withdraws a change: its message is shown without it.
    private func withdraw(_ id: MessageID, in conversation: ConversationID) -> [Effect] {
        changes.remove(id).map { [.show($0, in: conversation)] } ?? []
    }

    // MARK: What becomes of it

    /// The outcome of a message; `nil` if it is pending or no longer remembered.
    func outcome(of id: MessageID) -> Result<SentMessage, ClientError>? { outcomes[id] }

    func isAccepted(_ id: MessageID) -> Bool {
        if case .success? = outcomes[id] { true } else { false }
    }

    // MARK: Sending

    /// The next message to send. It is in flight until ``handle(_:of:in:isHeld:now:using:)``.
    func next(now: ContinuousClock.Instant) -> SendQueue.Next { queue.next(now: now) }

    /// A new connection: delayed messages are due at once.
    func markConnected() { queue.markConnected() }

    func release(_ conversation: ConversationID) { queue.release(conversation) }

    /// Records the devices that a message leaves out, to be reported once it is sent.
    func leaveOut(_ devices: [DeviceAddress]?, of id: MessageID) { leftOut[id] = devices }

    /// Handles the answer for the message in flight.
    ///
    /// - Parameter isHeld: whether an accepted message's record is in the log already.
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

    /// A message whose file is to be uploaded again: it is inserted after that.
    func withhold(_ id: MessageID) { queue.remove(id) }

    /// A message fails before it was ever in the queue.
    func giveUp(_ id: MessageID, in conversation: ConversationID, _ reason: SendError) -> [Effect] {
        fail(id, in: conversation, reason)
    }

    func forgetOutcome(of id: MessageID) { outcomes.forget(id) }

    private func fail(_ id: MessageID, in conversation: ConversationID, _ reason: SendError) -> [Effect] {
        leftOut[id] = nil
        if let draft = changes.draft(id), draft.resending != nil {
            // No event: no person has written it.
            changes.remove(id)
            return [.discard(id)] + endRequest(draft)
        }
        outcomes.record(id, .failure(.failed(reason)))
        return [.failed(id, reason), .emit(.failed(id, in: conversation, reason))]
            + withdraw(id, in: conversation) + [.wake(id)]
    }

    /// Another device of the user was first with the same change: its record stands for this one.
    func supersede(_ id: MessageID) -> [Effect] {
        changes.remove(id)
        return [.discard(id)]
    }

    /// Records a refusal because of the wrong devices; members and keys are fetched after each.
    ///
    /// - Returns: whether the same list was refused before: then the gateway contradicts itself.
    func recordRefusal(of message: MessageID, in conversation: ConversationID, for recipients: PeerRecipients) -> Bool {
        let refused = RefusedSeal(message: message, recipients: recipients)
        return refusals.updateValue(refused, forKey: conversation) == refused
    }

    // MARK: In the log

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

    /// Reports the devices that a sent message leaves out, once.
    private func disclose(_ id: MessageID, in conversation: ConversationID) -> [Effect] {
        guard let devices = leftOut.removeValue(forKey: id), !devices.isEmpty else { return [] }
        return [.emit(.leftOut(id, in: conversation, devices))]
    }

    /// When the next missing echo has to be fetched.
    var nextEchoTime: ContinuousClock.Instant? { echoes.map(\.deadline).min() }

    /// Stops waiting for echoes that have come, will not come, or are late.
    ///
    /// - Parameter log: the log of a conversation.
    func expireEchoes(
        now: ContinuousClock.Instant, log: (ConversationID) -> ConversationLog<MessageRecord>?
    ) -> [Effect] {
        var effects: [Effect] = []
        echoes.removeAll { echo in
            let (message, log) = (echo.message, log(echo.conversation))
            if log?.holds(message.epoch, message.seq) == true { return true }
            if log?.isBefore(message.epoch, message.seq) == true {
                // Sent before the database was replaced, and older than the records fetched since: its record comes
                // when the app pages back.
                effects.append(.discard(message.id))
                return true
            }
            guard echo.deadline <= now else { return false }
            effects.append(.fetchRecord(message, in: echo.conversation))
            return true
        }
        return effects
    }

    /// A conversation has a new epoch: accepted messages whose records have not come may be lost.
    ///
    /// - Returns: those messages, to be sent again. A repeat does nothing twice.
    func removeEchoes(of conversation: ConversationID) -> [MessageID] {
        defer { echoes.removeAll { $0.conversation == conversation } }
        return echoes.filter { $0.conversation == conversation }.map(\.message.id)
    }

    // MARK: What the client sends by itself

    /// A resend request found no room: it is due when none waits any more.
    func postponeRequest() { hasPostponedRequests = true }

    private func endRequest(_ draft: Draft?) -> [Effect] {
        guard hasPostponedRequests, draft?.resending == .request, changes.resending[.request] == nil else { return [] }
        hasPostponedRequests = false
        return [.resumePostponedRequests]
    }
}

/// An accepted message whose record has yet to come, or is fetched.
struct ExpectedEcho: Sendable {
    let conversation: ConversationID
    let message: SentMessage
    let deadline: ContinuousClock.Instant
}

/// A message that was refused with `stale_devices`, and its recipients.
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
