import Platform
import ParleyProtocol

/// One conversation's state, without its messages.
struct FollowedConversation: Sendable {
    let id: ConversationID
    /// `nil` before the gateway has sent it.
    var object: Conversation?
    var log: ConversationLog<MessageRecord>
    var membership = Membership.unfollowed
    /// The chapter of new records: 0, and one more with each new epoch.
    var chapter = 0
    /// The last few epochs that are over, oldest first.
    var past: [PastEpoch] = []
    var start = Start.unknown
    var unread = Unread()
    var preferences = ConversationPreferences()
    var reached = ReachedMarks()
    /// The user's read mark that the gateway has not acknowledged.
    var pendingRead: ReceiptCoalescer.Mark?
    /// Unopened messages, which hold back the read mark.
    var unopened = UnopenedSeqs()
    /// Unopened changes: some may ask to seal a message again.
    var unopenedChanges = UnopenedSeqs()
    /// The read mark that the app has requested.
    var shownSeq = 0
    /// The seq of the user's newest own message.
    var ownSeq = 0
    /// The "delivered" mark that the gateway has acknowledged.
    var deliveredSeq = 0
    /// The "delivered" mark of any of the user's devices, as the gateway says.
    var userDeliveredSeq = 0
    var statuses = Statuses.complete
    var notBefore: ContinuousClock.Instant?
    var backoff = Backoff(first: .milliseconds(200), longest: .seconds(30))
    /// Between epochs, against a gateway that always begins a new one.
    var epochBackoff = Backoff(first: .milliseconds(200), longest: .seconds(30))
    var delivery = Delivery.idle

    /// Whether there are records before the held range.
    enum Start: Hashable, Sendable {
        /// Perhaps: fetched when the app pages back. The gateway's oldest page leads to ``reached``.
        case unknown
        /// None. A new epoch or membership leads back to ``unknown``.
        case reached
    }

    /// Whether the statuses of the user's own messages are known.
    enum Statuses: Hashable, Sendable {
        /// No receipt was missed. A list after a lost connection leads to ``missed``.
        case complete
        /// Receipts may have been missed: a page of history leads back to ``complete``.
        case missed
    }

    /// Whether a batch of the next records is being stored.
    enum Delivery: Hashable, Sendable {
        /// No. Ready records lead to ``underWay``.
        case idle
        /// Yes: keys may have to be fetched to open it. Its end leads back to ``idle``.
        case underWay
    }

    init(_ id: ConversationID) {
        self.id = id
        log = ConversationLog()
    }

    var isMember: Bool { membership.isMember }
    var isOpen: Bool { membership.isOpen }
    var isFollowed: Bool { membership.isFollowed }

    var members: [UserID] { object?.members.map(\.user) ?? [] }

    var holdsStart: Bool { start == .reached || log.held?.lowerBound == 1 }
    var wantsPage: Bool { log.want != nil || (statuses == .missed && log.held?.isEmpty == false) }

    /// Whether nothing is known to be missing.
    var isSettled: Bool { log.want == nil && log.ready(limit: 1).isEmpty && delivery == .idle }
}

/// An epoch that is over. Its records may be stored here only.
struct PastEpoch: Hashable, Sendable {
    let epoch: String
    let chapter: Int
    /// How far the user's own messages had come.
    let reached: ReachedMarks.Mark

    /// The most that are remembered; of older ones only the statuses of the user's messages are lost.
    static let most = 8
}

extension FollowedConversation {
    /// Begins a new epoch: positions of the old one no longer count.
    ///
    /// - Parameter user: the device's own.
    mutating func begin(epoch: String, own user: UserID) {
        if let old = log.epoch {
            let least = reached.least(of: members.filter { $0 != user })
            past.append(PastEpoch(epoch: old, chapter: chapter, reached: least))
            past.removeFirst(max(0, past.count - PastEpoch.most))
        }
        if chapter < .max { chapter += 1 }
        log.begin(epoch: epoch)
        reached.reset()
        unread = Unread()
        pendingRead = nil
        unopened = UnopenedSeqs()
        unopenedChanges = UnopenedSeqs()
        shownSeq = 0
        ownSeq = 0
        deliveredSeq = 0
        userDeliveredSeq = 0
        start = .unknown
        statuses = .complete
    }

    /// Merges a conversation object that was checked.
    ///
    /// - Parameter follows: as of ``Membership/join(following:)``.
    mutating func merge(_ conversation: Conversation, follows: Bool) {
        // A retained event may be older.
        if object.map({ $0.updatedAt <= conversation.updatedAt }) ?? true { object = conversation }
        join(following: follows)
        if let lastSeq = conversation.lastSeq {
            log.recordEnd(epoch: conversation.epoch, lastSeq: lastSeq)
        } else if let epoch = log.epoch, epoch != conversation.epoch, !isPast(conversation.epoch) {
            // A retained event from before a restore: history says which epoch is current.
            log.doubt()
        }
        if let entry = conversation.listEntry {
            unread.setCount(entry.unread.number, readSeq: entry.lastReadSeq, lastSeq: conversation.lastSeq ?? 0)
            preferences = entry.preferences
        }
    }

    /// The user is a member, as the gateway says. They may not see the messages of the time when they were none.
    ///
    /// - Parameter follows: as of ``Membership/join(following:)``.
    mutating func join(following follows: Bool) {
        if !isMember {
            log.rejoin()
            start = .unknown
        }
        membership.join(following: follows)
    }

    /// The status of one of the user's messages, in its own epoch and all that share it.
    func status(of message: KeptMessage, own user: UserID) -> ChatMessage.Status {
        let record = message.record
        var marks = past.filter { $0.epoch == record.epoch || $0.chapter >= message.chapter && isPresent(record) }
            .map(\.reached)
        if isPresent(record) { marks.append(reached.least(of: members.filter { $0 != user })) }
        if marks.contains(where: { record.seq <= $0.read }) { return .read }
        return marks.contains { record.seq <= $0.delivered } ? .delivered : .sent
    }

    func isPresent(_ record: MessageRecord) -> Bool { log.epoch == nil || record.epoch == log.epoch }

    /// Whether nobody has read a message that this device could not open: it was sealed for this device, or for its
    /// user's only device, and no other device of theirs has received it.
    func isMissed(_ message: KeptMessage, by device: DeviceAddress) -> Bool {
        guard message.isUnreadable(on: device), message.record.seq > unread.readSeq else { return false }
        return message.record.recipientKeys != nil || message.record.seq > userDeliveredSeq
    }

    /// Records the messages that could not be opened, to be stored.
    mutating func recordUnopened(_ kept: [KeptMessage], on device: DeviceAddress) {
        let missed = kept.filter { $0.counts(for: device.user) && isMissed($0, by: device) }
        unopened.record(missed, unreadAfter: unread.readSeq)
        unopenedChanges.record(kept.filter { $0.record.isChange && $0.isUnreadable(on: device) }, unreadAfter: 0)
    }

    func isPast(_ epoch: String) -> Bool { past.contains { $0.epoch == epoch } }
}

/// The user's membership of a conversation, as the gateway says, and whether this device is subscribed.
///
/// A conversation that ``isFollowed`` is subscribed to and fetched. ``join(following:)`` leads from each case to
/// ``followed``, or to ``unfollowed`` if the client is not to follow it; ``leave()`` leads to ``former(wasOpen:)``.
enum Membership: Hashable, Sendable {
    /// A member, not subscribed. ``follow()`` leads to ``followed``.
    case unfollowed
    /// A member and subscribed.
    case followed
    /// Not open: the other user's message request waits. The user may write, and gets no events. ``follow()`` leads to
    /// ``requested(before:)``.
    case unanswered
    /// No longer a member. Stored messages stay readable, or hidden if the conversation was not open. ``follow()``
    /// leads to ``requested(before:)``.
    case former(wasOpen: Bool)
    /// Subscribed to before the gateway has said whether the user is a member.
    case requested(before: Before)

    enum Before: Hashable, Sendable {
        case unanswered
        case former(wasOpen: Bool)
    }

    var isMember: Bool {
        switch self {
        case .unfollowed, .followed, .unanswered, .requested(before: .unanswered): true
        case .former, .requested(before: .former): false
        }
    }

    /// Whether the user sees it in lists.
    var isOpen: Bool {
        switch self {
        case .unfollowed, .followed: true
        case .unanswered, .requested(before: .unanswered): false
        case .former(let wasOpen), .requested(before: .former(let wasOpen)): wasOpen
        }
    }

    var isFollowed: Bool {
        switch self {
        case .followed, .requested: true
        case .unfollowed, .unanswered, .former: false
        }
    }

    mutating func follow() {
        switch self {
        case .unfollowed: self = .followed
        case .unanswered: self = .requested(before: .unanswered)
        case .former(let wasOpen): self = .requested(before: .former(wasOpen: wasOpen))
        case .followed, .requested: break
        }
    }

    /// The user is a member, as the gateway says.
    ///
    /// - Parameter follows: whether the client follows every conversation; a subscribed one is followed in any case.
    mutating func join(following follows: Bool) { self = follows || isFollowed ? .followed : .unfollowed }

    /// The user is no member, as the gateway says.
    mutating func leave() { self = .former(wasOpen: isOpen) }
}

extension Membership {
    /// As stored, without a subscription.
    init(isMember: Bool, isOpen: Bool) {
        self =
            switch (isMember, isOpen) {
            case (true, true): .unfollowed
            case (true, false): .unanswered
            case (false, let isOpen): .former(wasOpen: isOpen)
            }
    }
}
