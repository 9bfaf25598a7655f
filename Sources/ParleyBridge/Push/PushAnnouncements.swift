import ParleyProtocol
import ParleyPush
import ParleyRules
import ParleyStore

/// What the writer is to do of notifications in the main database: publish on topics, remove events that are decided,
/// and end registrations.
struct PushAnnouncement: Sendable {
    /// What it is to do of a plan, in one transaction with the plan's number.
    struct Plan: Sendable {
        let number: Int
        let decidedThrough: PushEvent.Key?
        var topics: [Topic] = []
        var clearances: [Clearance] = []
    }

    /// A notification on a topic.
    struct Topic: Sendable {
        let notification: PushNotification
        /// Of a message.
        let place: PushPlan.Place?
    }

    /// What is displayed of a conversation up to a place is cleared, as the topic says it.
    struct Clearance: Sendable {
        let user: UserID
        let log: PushEventQueries.Log
        let seq: Int
    }

    /// A push service knows the registration of a device no more. The job is under way until it is known what came of
    /// that.
    struct End: Sendable {
        let job: PushJob
        /// The number of the registration.
        let registration: Int64
        /// What the service has answered.
        let status: Int
        /// Since when; `nil` if the service does not say.
        let since: Timestamp?
    }

    enum EndResult: Sendable {
        case ended
        /// There was no registration any more.
        case wasEnded
        /// The device has registered again meanwhile.
        case replaced
        /// It was registered after that time: the service may know it by now, or may never.
        case remains
    }

    /// What came of it, when it is committed.
    struct Result: Sendable {
        /// The number of the plan that was carried out.
        var plan: Int?
        var ends: [(end: End, result: EndResult)] = []
    }

    var plan: Plan?
    var ends: [End] = []

    var isEmpty: Bool { plan == nil && ends.isEmpty }
}

/// The announcement that the writer is to carry out, one at a time, and its result. Nobody waits for the other.
final class PushAnnouncements: Sendable {
    private struct State {
        var waiting: PushAnnouncement?
        var result: PushAnnouncement.Result?
    }

    private let state = Monitor(State())
    private let wakeWriter: @Sendable () -> Void
    private let wakePushes: @Sendable () -> Void

    init(wakeWriter: @escaping @Sendable () -> Void = {}, wakePushes: @escaping @Sendable () -> Void = {}) {
        self.wakeWriter = wakeWriter
        self.wakePushes = wakePushes
    }

    // MARK: The thread of pushes

    /// - Precondition: the result of the one before was taken.
    func submit(_ announcement: PushAnnouncement) {
        state.withLock { $0.waiting = announcement }
        wakeWriter()
    }

    func takeResult() -> PushAnnouncement.Result? {
        state.withLock { state in
            defer { state.result = nil }
            return state.result
        }
    }

    // MARK: The writer

    var waiting: PushAnnouncement? { state.withLock { $0.waiting } }

    var isWaiting: Bool { state.withLock { $0.waiting != nil } }

    /// It is committed.
    func record(_ result: PushAnnouncement.Result) {
        state.withLock { state in
            state.waiting = nil
            state.result = result
        }
        wakePushes()
    }
}
