import ParleyProtocol
import ParleyPush
import ParleyRules
import ParleyStore

/// Work on notifications that the writer does in the main database: it carries out a plan and ends registrations.
struct PushAnnouncement: Sendable {
    /// The main database's part of a plan, carried out in one transaction with the plan's number.
    struct Plan: Sendable {
        let number: Int
        let decidedThrough: PushEvent.Key?
        /// Notifications on topics; those of messages have an entry of the log.
        var topics: [(notification: PushNotification, entry: PushPlan.LogEntry?)] = []
        /// Conversations that topics say are cleared, up to a message.
        var clearances: [(id: NotificationID, user: UserID, log: PushEventQueries.Log, seq: Int)] = []
    }

    /// A push service no longer knows a registration. The job is under way until the end is committed.
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

    struct Result: Sendable {
        /// The number of the plan that was carried out.
        var plan: Int?
        var ends: [(end: End, result: EndResult)] = []
    }

    var plan: Plan?
    var ends: [End] = []

    var isEmpty: Bool { plan == nil && ends.isEmpty }
}

/// Hands the writer one announcement at a time, and its committed result back. Neither thread waits for the other.
final class PushAnnouncements: Sendable {
    private struct State {
        var waiting: PushAnnouncement?
        var result: PushAnnouncement.Result?
    }

    private let state = Monitor(State())
    private let wakeWriter: @Sendable () -> Void
    private let wakePushes: @Sendable () -> Void

    init(wakeWriter: @escaping @Sendable () -> Void = {}, wakePushes: @escaping @Sendable () -> Void = {}) {
        (self.wakeWriter, self.wakePushes) = (wakeWriter, wakePushes)
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

    func recordCommitted(_ result: PushAnnouncement.Result) {
        state.withLock { $0 = State(result: result) }
        wakePushes()
    }
}
