import ParleyProtocol
import ParleyStore

/// What was decided of notifications at once: to be written in one transaction of the database of pushes, and carried
/// out in one of the main database.
struct PushPlan: Sendable {
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
        let position: StreamPosition
    }

    /// A message for somebody.
    struct Target: Hashable, Sendable {
        let user: UserID
        let place: Place
    }

    /// What is displayed of a conversation is to be taken away.
    struct Clearance: Sendable {
        let user: UserID
        let conversation: ConversationKey
        let log: PushEventQueries.Log
        /// Up to where all is taken away.
        let seq: Int
        /// One message that is taken away beyond that.
        let message: MessageID?
        /// How many messages are unread, of all conversations.
        let badge: Int
        /// Whether the user's devices display no greater number, or are sent it by another.
        let isBadgeSent: Bool
        let position: StreamPosition
        let createdAt: Timestamp
        let steadyAt: Timestamp
        let devices: [(id: NotificationID, registration: PushRegistration)]

        /// Whether nothing at all is unread.
        var isLast: Bool { badge == 0 }
    }

    /// Up to which events it is decided; `nil` if of none.
    var decidedThrough: PushEvent.Key?
    /// How many of these could not be decided, because what is stored of them cannot be read.
    var undecidable = 0
    /// How many of those who have left were looked at.
    var departures = 0
    var notices: [Notice] = []
    var clearances: [Clearance] = []
    var holds: [PushHold] = []
    /// Whose quiet hours are over.
    var digested: [UserID] = []
    var traces: [PushTrace] = []
    /// What an operator tests, and what of it has no device to go to.
    var tests: [Notice] = []
    var unreachable: [NotificationID] = []
    /// Devices whose registration has ended, each with the number of another that it has since; and registrations that
    /// have replaced others.
    var endedRegistrations: [(device: DeviceAddress, present: Int64?)] = []
    var newRegistrations: [PushRegistration] = []
    /// Whose quiet hours are others.
    var changedQuietHours: [UserID] = []
    /// Who was to be notified, whether or not it is stale.
    private(set) var candidates: Set<UserID> = []

    var isEmpty: Bool {
        decidedThrough == nil && notices.isEmpty && clearances.isEmpty && holds.isEmpty && digested.isEmpty
            && traces.isEmpty
    }

    /// Removes notices of messages that were read or removed since it was decided, or are for a member who is gone or
    /// between whom and the sender there is a block. Each message that is read or removed from now on has an event: see
    /// `DisplayingUsers`.
    mutating func removeStale(in store: Store, displaying: DisplayingUsers) throws(StoreError) {
        guard !notices.isEmpty else { return }
        candidates = Set(notices.map(\.user))
        displaying.add(candidates)
        let places = notices.compactMap { notice in notice.place.map { (notice.user, $0) } }
        let due = try store.read { try $0.duePlaces(places) }
        notices.removeAll { notice in
            notice.place.map { !due.contains(Target(user: notice.user, place: $0)) } ?? false
        }
    }
}

extension Snapshot {
    /// Those of these messages that are there, for members who have not read them and between whom and the sender is no
    /// block.
    func duePlaces(_ places: [(user: UserID, place: PushPlan.Place)]) throws(StoreError) -> Set<PushPlan.Target> {
        let recipients = places.map { user, place in
            PushEventQueries.Recipient(user: user, conversation: place.conversation, sender: place.sender)
        }
        let read = try pushEvents.readSeqs(recipients)
        let present = try pushEvents.present(at: places.map(\.place.position))
        var due: Set<PushPlan.Target> = []
        for ((user, place), recipient) in zip(places, recipients)
        where present.contains(place.position) && read[recipient].map({ $0 < place.seq }) ?? false {
            due.insert(PushPlan.Target(user: user, place: place))
        }
        return due
    }
}
