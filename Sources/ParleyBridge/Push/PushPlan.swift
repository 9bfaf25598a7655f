import ParleyProtocol
import ParleyStore

/// The decisions of one turn: written in one transaction of the database of pushes, then carried out in one of the main
/// database (decision 0065).
struct PushPlan: Sendable {
    /// Where in the stream and when something happened.
    struct Origin: Sendable {
        let position: StreamPosition
        let createdAt: Timestamp
        let steadyAt: Timestamp
    }

    /// A notification for one user.
    struct Notice: Sendable {
        let user: UserID
        let type: PushType
        let origin: Origin
        /// Of a message.
        var entry: LogEntry?
        /// The item of their feed.
        var feed: NotificationID?
        var isUrgent = false
        /// The notification on the user's topic; `nil` for none, or where the topic has it already.
        var topic: PushNotification?
        /// The devices that get it, and its id for each.
        let devices: [(id: NotificationID, registration: PushRegistration)]
    }

    /// A message in its log.
    struct LogEntry: Hashable, Sendable {
        let conversation: ConversationKey
        let seq: Int
        let message: MessageID
        let sender: UserID
        let position: StreamPosition
    }

    /// A message for somebody.
    struct Target: Hashable, Sendable {
        let user: UserID
        let entry: LogEntry
    }

    /// Notifications of a conversation that a user's devices stop displaying.
    struct Clearance: Sendable {
        let user: UserID
        let conversation: ConversationKey
        let log: PushEventQueries.Log
        /// Up to this one all are cleared.
        let seq: Int
        /// One message that is cleared beyond `seq`.
        let message: MessageID?
        /// How many messages are unread, of all conversations.
        let badge: Int
        /// Whether the user's devices display no greater badge, or get it with another clearance.
        let isBadgeSent: Bool
        let origin: Origin
        let devices: [(id: NotificationID, registration: PushRegistration)]

        /// Whether nothing at all is unread.
        var isLast: Bool { badge == 0 }
    }

    /// The events that are decided, in their order.
    var decided: [PushEvent.Key] = []
    /// How many events and departures could not be decided, because their rows cannot be read.
    var undecidable = 0
    /// How many departures are decided.
    var departures = 0
    var notices: [Notice] = []
    var clearances: [Clearance] = []
    var holds: [PushHold] = []
    /// Users whose hold has ended.
    var digested: [UserID] = []
    var traces: [PushTrace] = []
    /// Tests by operators, and those whose device is not registered.
    var tests: [Notice] = []
    var unreachable: [NotificationID] = []
    /// Devices whose registration has ended, each with the number of its next one.
    var endedRegistrations: [(device: DeviceAddress, present: Int64?)] = []
    /// Registrations that have replaced others.
    var newRegistrations: [PushRegistration] = []
    var changedQuietHours: [UserID] = []
    /// The users of notices, stale ones included.
    private(set) var candidates: Set<UserID> = []

    var isEmpty: Bool {
        decided.isEmpty && notices.isEmpty && clearances.isEmpty && holds.isEmpty && digested.isEmpty
            && traces.isEmpty
    }

    /// Removes notices of messages that were read or removed since the decision, whose recipient has left, or between
    /// whose recipient and sender there is a block. A message that is read or removed from now on has an event: see
    /// `DisplayingUsers`.
    mutating func removeStale(in store: Store, displaying: DisplayingUsers) throws(StoreError) {
        guard !notices.isEmpty else { return }
        candidates = Set(notices.map(\.user))
        displaying.add(candidates)
        try store.read { try removeStale(in: $0) }
    }

    /// The same where both databases are one: a message that is read or removed from now on waits for the end of the
    /// transaction, and then finds what is displayed.
    mutating func removeStale(in transaction: PushTransaction) throws(StoreError) {
        guard let main = transaction.main, !notices.isEmpty else { return }
        candidates = Set(notices.map(\.user))
        try main.pushEvents.lock(notices.compactMap(\.entry?.conversation))
        try removeStale(in: main)
    }

    private mutating func removeStale(in snapshot: Snapshot) throws(StoreError) {
        let entries = notices.compactMap { notice in notice.entry.map { (notice.user, $0) } }
        let due = try snapshot.dueEntries(entries)
        notices.removeAll { notice in
            notice.entry.map { !due.contains(Target(user: notice.user, entry: $0)) } ?? false
        }
    }
}

extension Snapshot {
    /// The messages that still exist, for members who have not read them and with no block between them and the sender.
    func dueEntries(_ entries: [(user: UserID, entry: PushPlan.LogEntry)]) throws(StoreError) -> Set<PushPlan.Target> {
        let recipients = entries.map { user, entry in
            PushEventQueries.Recipient(user: user, conversation: entry.conversation, sender: entry.sender)
        }
        let read = try pushEvents.readSeqs(recipients)
        let present = try pushEvents.present(at: entries.map(\.entry.position))
        var due: Set<PushPlan.Target> = []
        for ((user, entry), recipient) in zip(entries, recipients)
        where present.contains(entry.position) && read[recipient].map({ $0 < entry.seq }) ?? false {
            due.insert(PushPlan.Target(user: user, entry: entry))
        }
        return due
    }
}
