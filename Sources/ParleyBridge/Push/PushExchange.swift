import Platform
import ParleyPush
import ParleyProtocol
import ParleyStore

/// What the thread of pushes and the writer hand each other, one posting at a time, and what comes from push services.
final class PushExchange: Sendable {
    private struct State {
        var posting: PushPosting?
        var result: PushPosting.Result?
        var outcomes: [PushOutcome] = []
        /// Whether something was noted that is to be decided.
        var hasNoted = true
        var isClosed = false
    }

    private let state = Monitor(State())
    /// Wakes the thread of pushes.
    let arrived: WakeUp
    /// Wakes the intake, on whose thread the writer is.
    private let wakeWriter: @Sendable () -> Void

    init(wakeWriter: @escaping @Sendable () -> Void) throws(SystemError) {
        arrived = try WakeUp()
        self.wakeWriter = wakeWriter
    }

    // MARK: The writer

    /// Something was committed that is to be decided.
    func recordNoted() {
        state.withLock { $0.hasNoted = true }
        arrived.signal()
    }

    /// The posting to be written, which is then the caller's to answer.
    func takePosting() -> PushPosting? {
        state.withLock { state in
            defer { state.posting = nil }
            return state.posting
        }
    }

    func answer(_ result: PushPosting.Result) {
        state.withLock { $0.result = result }
        arrived.signal()
    }

    // MARK: Push services

    func add(_ outcome: PushOutcome) {
        state.withLock { $0.outcomes.append(outcome) }
        arrived.signal()
    }

    // MARK: The thread of pushes

    var isClosed: Bool { state.withLock { $0.isClosed } }

    func close() {
        state.withLock { $0.isClosed = true }
        arrived.signal()
    }

    /// Whether something was noted since this was asked for.
    func drainNoted() -> Bool {
        state.withLock { state in
            defer { state.hasNoted = false }
            return state.hasNoted
        }
    }

    func drainOutcomes() -> [PushOutcome] {
        state.withLock { state in
            defer { state.outcomes = [] }
            return state.outcomes
        }
    }

    /// Has a posting written, and waits for it.
    ///
    /// - Returns: `nil` when closed.
    func post(_ posting: PushPosting) throws(SystemError) -> PushPosting.Result? {
        state.withLock { $0.posting = posting }
        wakeWriter()
        while true {
            let (result, isClosed) = state.withLock { state in
                defer { state.result = nil }
                return (state.result, state.isClosed)
            }
            if let result { return result }
            if isClosed { return nil }
            var watched = [WatchedDescriptor(arrived.descriptor)]
            try waitForEvents(&watched, timeout: .seconds(1))
            arrived.drain()
        }
    }
}

/// What the thread of pushes has decided and heard, to be written in one transaction.
struct PushPosting: Sendable {
    /// Somebody is notified.
    struct Notice: Sendable {
        let user: UserID
        let type: PushType
        /// At which it was published what they are notified of.
        let position: StreamPosition
        /// Of a message.
        let place: Place?
        /// Of their feed.
        let feed: NotificationID?
        let isUrgent: Bool
        let createdAt: Timestamp
        let steadyAt: Timestamp
        /// What is published on the topic; `nil` where that was done already.
        let topic: PushNotification?
        /// The devices to which it goes, and its id for each.
        let devices: [(id: NotificationID, registration: PushRegistration)]
    }

    /// A message in its log.
    struct Place: Hashable, Sendable {
        let conversation: ConversationKey
        let seq: Int
        let message: MessageID
        let sender: UserID
    }

    /// What is shown of a conversation is to be taken away.
    struct Clearance: Sendable {
        let user: UserID
        let conversation: ConversationKey
        let log: PushEventQueries.Log
        /// Up to where all is taken away.
        let seq: Int
        /// One message that is taken away beyond that.
        let message: MessageID?
        /// How many messages are unread, of all conversations.
        let number: Int
        /// Whether the user's devices show no greater number, or are told by another.
        let isNumberTold: Bool
        let position: StreamPosition
        let createdAt: Timestamp
        let steadyAt: Timestamp
        let devices: [(id: NotificationID, registration: PushRegistration)]

        /// Whether nothing at all is unread.
        var isLast: Bool { number == 0 }
    }

    /// A notification that is not to be sent any more.
    struct Dropped: Sendable {
        let job: PushJob
        let reason: String
    }

    /// What was decided of.
    var decided: [PushEvent.Key] = []
    /// How many of these could not be decided, because what is stored of them cannot be read.
    var undecidable = 0
    var notices: [Notice] = []
    var clearances: [Clearance] = []
    var holds: [PushHold] = []
    /// Whose quiet hours are over.
    var digested: [UserID] = []
    var traces: [PushTrace] = []
    var outcomes: [PushOutcome] = []
    var dropped: [Dropped] = []
    /// How many notifications there is room for.
    var room: [PushProvider: Int] = [:]

    var isEmpty: Bool {
        decided.isEmpty && notices.isEmpty && clearances.isEmpty && holds.isEmpty && digested.isEmpty
            && traces.isEmpty && outcomes.isEmpty && dropped.isEmpty
    }

    struct Result: Sendable {
        /// Whether it was committed. If not, nothing of it was done.
        let isCommitted: Bool
        /// What is to be sent now.
        let begun: [PushJob]
        /// When something is next due, by the steady time; `nil` while nothing is.
        let nextDue: Timestamp?
        /// When the quiet hours of somebody next end, by the time of day.
        let nextHoldEnd: Timestamp?

        /// Of what was decided, what holds still.
        var notified: [Notice] = []
        var cleared: [Clearance] = []

        static let failed = Result(isCommitted: false, begun: [], nextDue: nil, nextHoldEnd: nil)
    }
}
