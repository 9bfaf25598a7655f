import Platform
import ParleyProtocol

/// The order of sending: one message at a time, in each conversation in order of writing; a delayed one holds up only
/// its conversation.
///
/// A value without I/O, with the ids of messages that are in the device's store.
struct SendQueue {
    private struct Entry {
        let id: MessageID
        let conversation: ConversationID
        /// In order of writing.
        let position: Int
        var backoff = Backoff(first: .milliseconds(500), longest: .seconds(60))
        var notBefore: ContinuousClock.Instant?
        /// The number of refusals because of the wrong devices.
        var reseals = 0
        /// The number of answers that were the gateway's fault.
        var faults = 0
    }

    private var entries: [Entry] = []
    /// Conversations that wait for the acceptance of a key.
    private var held: Set<ConversationID> = []
    /// The gateway's rate limit ends then.
    private var pausedUntil: ContinuousClock.Instant?
    private(set) var underWay: MessageID?

    static let capacity = 10_000
    /// The number of faulty answers, or of wrong devices, after which a message fails so that it does not delay others.
    static let mostFaults = 8
    /// The longest pause, whatever the gateway says.
    static let longestPause: Duration = .seconds(600)

    var count: Int { entries.count }
    var isFull: Bool { entries.count >= SendQueue.capacity }

    /// Whether the gateway's rate limit holds messages back.
    func isLimited(now: ContinuousClock.Instant) -> Bool {
        !entries.isEmpty && pausedUntil.map { $0 > now } ?? false
    }

    func contains(_ id: MessageID) -> Bool { entries.contains { $0.id == id } }

    /// Queues a message by its position: a failed one returns to its old place.
    mutating func insert(_ id: MessageID, in conversation: ConversationID, position: Int) {
        guard !contains(id) else { return }
        let index = entries.lastIndex { $0.position < position }.map { $0 + 1 } ?? 0
        entries.insert(Entry(id: id, conversation: conversation, position: position), at: index)
    }

    mutating func remove(_ id: MessageID) {
        entries.removeAll { $0.id == id }
        if underWay == id { underWay = nil }
    }

    enum Next: Hashable {
        case send(MessageID, in: ConversationID)
        /// Nothing now; the next message is due at that time.
        case wait(until: ContinuousClock.Instant?)
    }

    /// The next message to send. It is in flight until ``handle(_:now:using:)``.
    mutating func next(now: ContinuousClock.Instant) -> Next {
        guard underWay == nil else { return .wait(until: nil) }
        if let pausedUntil, pausedUntil > now { return .wait(until: pausedUntil) }
        var passed = held
        var earliest: ContinuousClock.Instant?
        for entry in entries where passed.insert(entry.conversation).inserted {
            if let time = entry.notBefore, time > now {
                earliest = min(earliest ?? time, time)
                continue
            }
            underWay = entry.id
            return .send(entry.id, in: entry.conversation)
        }
        return .wait(until: earliest)
    }

    mutating func release(_ conversation: ConversationID) { held.remove(conversation) }

    /// Conversations with messages that wait for the acceptance of a key.
    var waitingForKeys: Set<ConversationID> { held.intersection(entries.map(\.conversation)) }

    /// A new connection: delayed messages are due at once.
    mutating func markConnected() {
        for index in entries.indices {
            entries[index].notBefore = nil
            entries[index].backoff.reset()
        }
    }

    mutating func handle(
        _ answer: SendAnswer, now: ContinuousClock.Instant, using generator: inout some RandomNumberGenerator
    ) -> SendVerdict {
        guard let id = underWay, let index = entries.firstIndex(where: { $0.id == id }) else {
            // It was discarded meanwhile.
            underWay = nil
            return .wait
        }
        underWay = nil
        switch answer {
        case .sent(let message):
            entries.remove(at: index)
            return .sent(message)
        case .unanswered(let failure):
            return handleNoReply(failure, index, now, &generator)
        case .refused(let rejection):
            return handleRefusal(rejection, index, now, &generator)
        case .notNow:
            return postpone(index, now, &generator)
        case .blocked:
            held.insert(entries[index].conversation)
            return .wait
        case .impossible(let reason):
            entries.remove(at: index)
            return .failed(reason)
        }
    }

    private mutating func handleNoReply(
        _ failure: NoReplyError, _ index: Int, _ now: ContinuousClock.Instant,
        _ generator: inout some RandomNumberGenerator
    ) -> SendVerdict {
        switch failure {
        case .timedOut, .tooManyWaiting:
            return postpone(index, now, &generator)
        case .malformedReply:
            return countFault(index, .malformedReply, now, &generator)
        case .ended, .cancelled:
            return .wait
        }
    }

    private mutating func handleRefusal(
        _ rejection: Rejection, _ index: Int, _ now: ContinuousClock.Instant,
        _ generator: inout some RandomNumberGenerator
    ) -> SendVerdict {
        switch rejection.code {
        case .staleDevices:
            entries[index].reseals += 1
            guard entries[index].reseals <= SendQueue.mostFaults else {
                entries.remove(at: index)
                return .failed(.refused(rejection))
            }
            if entries[index].reseals > 1 { _ = postpone(index, now, &generator) }
            return .reseal(rejection.devices)
        case .rateLimited:
            let pause = Duration.milliseconds(max(rejection.retryAfterMilliseconds ?? 1000, 1))
            pausedUntil = now + min(pause, SendQueue.longestPause)
            return .wait
        case .unavailable, .unauthenticated:
            return postpone(index, now, &generator)
        case .internal:
            return countFault(index, .refused(rejection), now, &generator)
        case .badRequest, .forbidden, .notFound, .conflict, .tooLarge, .blocked, .requestLimit, .groupFull,
            .alreadyInGroup,
            .inviteInvalid, .weekClosed:
            // A `conflict` with this very message was resolved before, by the log.
            entries.remove(at: index)
            return .failed(.refused(rejection))
        }
    }

    private mutating func postpone(
        _ index: Int, _ now: ContinuousClock.Instant, _ generator: inout some RandomNumberGenerator
    ) -> SendVerdict {
        entries[index].notBefore = now + entries[index].backoff.next(using: &generator)
        return .wait
    }

    /// Retries after a fault of the gateway, a few times only.
    private mutating func countFault(
        _ index: Int, _ reason: SendError, _ now: ContinuousClock.Instant,
        _ generator: inout some RandomNumberGenerator
    ) -> SendVerdict {
        entries[index].faults += 1
        guard entries[index].faults < SendQueue.mostFaults else {
            entries.remove(at: index)
            return .failed(reason)
        }
        return postpone(index, now, &generator)
    }
}

enum SendAnswer: Sendable {
    /// It is in the log, by its reply, its echo or a lookup.
    case sent(SentMessage)
    case refused(Rejection)
    case unanswered(NoReplyError)
    /// A local failure that may pass.
    case notNow
    /// A recipient's key has changed and was not accepted.
    case blocked
    /// It cannot be sent.
    case impossible(SendError)
}

enum SendVerdict: Hashable {
    case sent(SentMessage)
    /// Fetch the devices' keys, and seal it again.
    case reseal(Rejection.DeviceDifference?)
    /// Send the same bytes again later.
    case wait
    case failed(SendError)
}
