import Platform
import ParleyProtocol

/// The order in which messages are sent: one at a time, in each conversation as they were written, the others going on
/// where one has to wait.
///
/// A value that does no I/O: what came of the last one goes in, and what is to be done next comes out. The messages
/// themselves are in the device's store; here are only their ids.
struct SendQueue {
    private struct Entry {
        let id: MessageID
        let conversation: ConversationID
        /// When it was written, among the others.
        let position: Int
        var backoff = Backoff(first: .milliseconds(500), longest: .seconds(60))
        var notBefore: ContinuousClock.Instant?
        /// Times that the gateway's device list was another than what was sealed for.
        var reseals = 0
        /// Times that the gateway, or its answer, was at fault.
        var faults = 0
    }

    private var entries: [Entry] = []
    /// Conversations in which nothing is sent until a changed key is accepted.
    private var held: Set<ConversationID> = []
    /// The gateway takes nothing of this device before.
    private var pausedUntil: ContinuousClock.Instant?
    private(set) var underWay: MessageID?

    /// How many may wait.
    static let capacity = 10_000
    /// After so many answers that are the gateway's fault, or device lists that never fit, a message fails so that
    /// it does not keep the others waiting.
    static let mostFaults = 8
    /// However long the gateway asks to wait, it is asked again after this.
    static let longestPause: Duration = .seconds(600)

    var count: Int { entries.count }
    var isFull: Bool { entries.count >= SendQueue.capacity }

    func contains(_ id: MessageID) -> Bool { entries.contains { $0.id == id } }

    /// Queues a message, in the order of positions: one that has failed comes back to its old place.
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
        /// Nothing now; by itself something will be to be sent at that time.
        case wait(until: ContinuousClock.Instant?)
    }

    /// What to send now. It is under way until ``handle(_:now:using:)``.
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

    /// The key was accepted.
    mutating func release(_ conversation: ConversationID) { held.remove(conversation) }

    /// Where nothing is sent until a key is accepted, and something waits to be.
    var waitingForKeys: Set<ConversationID> { held.intersection(entries.map(\.conversation)) }

    /// There is a new connection: what waited because of the old one goes at once.
    mutating func markConnected() {
        for index in entries.indices {
            entries[index].notBefore = nil
            entries[index].backoff.reset()
        }
    }

    /// Handles what came of the message under way.
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
            // A `conflict` that was this very message was found in the log before it came here.
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

    /// What cannot be helped by waiting is tried a few times and no more.
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

/// What came of an attempt to send a message.
enum SendAnswer: Sendable {
    /// It is in the log: by its reply, its echo, or found there.
    case sent(SentMessage)
    case refused(Rejection)
    case unanswered(NoReplyError)
    /// The system had no room for it; later it may.
    case notNow
    /// A recipient's key has changed and was not accepted.
    case blocked
    /// It cannot be sent as it is.
    case impossible(SendError)
}

/// What is to be done with it then.
enum SendVerdict: Hashable {
    case sent(SentMessage)
    /// The devices are others: their keys are fetched, and it is sealed anew.
    case reseal(Rejection.DeviceDifference?)
    /// It stays where it is and is sent again, the same bytes.
    case wait
    case failed(SendError)
}
