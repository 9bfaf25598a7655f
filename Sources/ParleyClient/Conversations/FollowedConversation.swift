import Platform
import ParleyProtocol

/// What a client knows of one conversation beside its messages.
struct FollowedConversation: Sendable {
    let id: ConversationID
    /// `nil` before the gateway said what it is.
    var object: Conversation?
    var log: ConversationLog<MessageRecord>
    var membership = Membership.unfollowed
    /// Of the records that come now: 0, and one more each time the gateway's history began anew.
    var chapter = 0
    /// The epochs before, the last one last: a few of them.
    var past: [PastEpoch] = []
    var start = Start.unknown
    var unread = Unread()
    /// How the user wants it treated.
    var preferences = ConversationPreferences()
    var reached = ReachedMarks()
    /// The user's own mark that the gateway has yet to take.
    var pendingRead: ReceiptCoalescer.Mark?
    /// What could not be opened here, and holds up what is marked read.
    var unopened = UnopenedPlaces()
    /// Changes that could not be opened here: some ask for a message to be sealed anew.
    var unopenedChanges = UnopenedPlaces()
    /// Up to where the app wanted to have marked read.
    var shownSeq = 0
    /// The newest of the user's own messages here.
    var ownSeq = 0
    /// Up to where this device has reported to the gateway that it has everything.
    var deliveredSeq = 0
    /// Up to where one of the user's devices at least has everything, as the gateway says.
    var userDeliveredSeq = 0
    var statuses = Statuses.complete
    /// When fetching may be tried again.
    var notBefore: ContinuousClock.Instant?
    var backoff = Backoff(first: .milliseconds(200), longest: .seconds(30))
    /// Between one epoch and the next, should they not end.
    var epochBackoff = Backoff(first: .milliseconds(200), longest: .seconds(30))
    var delivery = Delivery.idle

    /// Whether anything is before the held range.
    enum Start: Hashable, Sendable {
        /// Perhaps: it is fetched when somebody reads so far. A page that the gateway calls the oldest leads to
        /// ``reached``.
        case unknown
        /// Nothing. A history that begins anew leads back to ``unknown``, as does being a member again.
        case reached
    }

    /// Whether it is known how far the user's own messages have come.
    enum Statuses: Hashable, Sendable {
        /// No receipt was missed. A list after a time without connection leads to ``missed`` where one may be missing.
        case complete
        /// Some may have come while nobody listened: a page of history leads back to ``complete``.
        case missed
    }

    /// Whether records that are next in the log are on their way into the store.
    enum Delivery: Hashable, Sendable {
        /// None. Records that are ready lead to ``underWay``.
        case idle
        /// A batch is being opened, for which keys may have to be fetched, and kept. Its end, however it ends, leads
        /// back to ``idle``.
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

    /// Whether the first message of all is in the held range.
    var holdsStart: Bool { start == .reached || log.held?.lowerBound == 1 }
    var wantsPage: Bool { log.want != nil || (statuses == .missed && log.held?.isEmpty == false) }

    /// Whether this device has all that it knows of.
    var isSettled: Bool { log.want == nil && log.ready(limit: 1).isEmpty && delivery == .idle }
}

/// An epoch that is over, of which this device may keep what the gateway has no more.
struct PastEpoch: Hashable, Sendable {
    let epoch: String
    let chapter: Int
    /// How far the user's own messages had come.
    let reached: ReachedMarks.Mark

    /// So many are remembered. Of those before them nothing is lost but how far the user's own messages had come.
    static let most = 8
}

extension FollowedConversation {
    /// The gateway's history begins anew: what counted of the old one means nothing in it. What is kept stays.
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
        unopened = UnopenedPlaces()
        unopenedChanges = UnopenedPlaces()
        shownSeq = 0
        ownSeq = 0
        deliveredSeq = 0
        userDeliveredSeq = 0
        start = .unknown
        statuses = .complete
    }

    /// Takes up what the gateway says of it, which can be so.
    ///
    /// - Parameter follows: as of ``Membership/join(following:)``.
    mutating func merge(_ conversation: Conversation, follows: Bool) {
        // A retained event may be older than what is known.
        if object.map({ $0.updatedAt <= conversation.updatedAt }) ?? true { object = conversation }
        join(following: follows)
        if let lastSeq = conversation.lastSeq {
            log.recordEnd(epoch: conversation.epoch, lastSeq: lastSeq)
        } else if let epoch = log.epoch, epoch != conversation.epoch, !isPast(conversation.epoch) {
            // A retained event of a gateway that was put back: history says which epoch is current.
            log.doubt()
        }
        if let entry = conversation.listEntry {
            unread.setCount(entry.unread.number, readSeq: entry.lastReadSeq, lastSeq: conversation.lastSeq ?? 0)
            preferences = entry.preferences
        }
    }

    /// The gateway says that the user is in it. Nothing came while they were no member, and what they have missed may
    /// not be theirs to see.
    ///
    /// - Parameter follows: as of ``Membership/join(following:)``.
    mutating func join(following follows: Bool) {
        if !isMember {
            log.rejoin()
            start = .unknown
        }
        membership.join(following: follows)
    }

    /// How far one of the user's own messages has come, in its own epoch and in all that share it.
    func status(of message: KeptMessage, own user: UserID) -> ChatMessage.Status {
        let record = message.record
        var marks = past.filter { $0.epoch == record.epoch || $0.chapter >= message.chapter && isPresent(record) }
            .map(\.reached)
        if isPresent(record) { marks.append(reached.least(of: members.filter { $0 != user })) }
        if marks.contains(where: { record.seq <= $0.read }) { return .read }
        return marks.contains { record.seq <= $0.delivered } ? .delivered : .sent
    }

    /// Whether a record is in the current epoch.
    func isPresent(_ record: MessageRecord) -> Bool { log.epoch == nil || record.epoch == log.epoch }

    /// Whether the user has missed a message that this device could not open: nobody has read it, and it was sealed for
    /// this device, or for the only one that its user had, and no other of theirs has received it.
    func isMissed(_ message: KeptMessage, by device: DeviceAddress) -> Bool {
        guard message.isUnreadable(on: device), message.record.seq > unread.readSeq else { return false }
        return message.record.recipientKeys != nil || message.record.seq > userDeliveredSeq
    }

    /// Remembers beyond this client's life what of these could not be opened.
    mutating func recordUnopened(_ kept: [KeptMessage], on device: DeviceAddress) {
        let missed = kept.filter { $0.counts(for: device.user) && isMissed($0, by: device) }
        unopened.record(missed, unreadAfter: unread.readSeq)
        unopenedChanges.record(kept.filter { $0.record.isChange && $0.isUnreadable(on: device) }, unreadAfter: 0)
    }

    func isPast(_ epoch: String) -> Bool { past.contains { $0.epoch == epoch } }
}

/// What the user is in a conversation, as the gateway says, and whether this device hears it.
///
/// Subscribed to, and fetched, is what ``isFollowed``. The gateway's word that the user is in it (``join(following:)``)
/// leads from each case to ``followed``, or to ``unfollowed`` where the client is not to follow it; its word that they
/// are not (``leave()``) leads to ``former(wasOpen:)``.
enum Membership: Hashable, Sendable {
    /// A member as far as is known, and not subscribed. ``follow()`` leads to ``followed``.
    case unfollowed
    /// A member and subscribed.
    case followed
    /// Not open: the other one asks to write, and the user has not answered. They may write there, and hear nothing of
    /// it. ``follow()`` leads to ``asked(before:)``.
    case unanswered
    /// No member any more. What is kept stays readable, and hidden if it was not open then. ``follow()`` leads to
    /// ``asked(before:)``.
    case former(wasOpen: Bool)
    /// Subscribed to before the gateway has said whether the user may hear it: it says so at once, one way or the
    /// other.
    case asked(before: Before)

    /// What it was when it was asked for.
    enum Before: Hashable, Sendable {
        case unanswered
        case former(wasOpen: Bool)
    }

    var isMember: Bool {
        switch self {
        case .unfollowed, .followed, .unanswered, .asked(before: .unanswered): true
        case .former, .asked(before: .former): false
        }
    }

    /// Whether the user sees it in lists.
    var isOpen: Bool {
        switch self {
        case .unfollowed, .followed: true
        case .unanswered, .asked(before: .unanswered): false
        case .former(let wasOpen), .asked(before: .former(let wasOpen)): wasOpen
        }
    }

    var isFollowed: Bool {
        switch self {
        case .followed, .asked: true
        case .unfollowed, .unanswered, .former: false
        }
    }

    /// It is subscribed to.
    mutating func follow() {
        switch self {
        case .unfollowed: self = .followed
        case .unanswered: self = .asked(before: .unanswered)
        case .former(let wasOpen): self = .asked(before: .former(wasOpen: wasOpen))
        case .followed, .asked: break
        }
    }

    /// The gateway says that the user is in it.
    ///
    /// - Parameter follows: whether the client follows every conversation; one that is subscribed to it follows in any
    ///   case.
    mutating func join(following follows: Bool) { self = follows || isFollowed ? .followed : .unfollowed }

    /// The gateway says that the user is not in it.
    mutating func leave() { self = .former(wasOpen: isOpen) }
}

extension Membership {
    /// As it was kept: nothing is subscribed to then.
    init(isMember: Bool, isOpen: Bool) {
        self =
            switch (isMember, isOpen) {
            case (true, true): .unfollowed
            case (true, false): .unanswered
            case (false, let isOpen): .former(wasOpen: isOpen)
            }
    }
}
