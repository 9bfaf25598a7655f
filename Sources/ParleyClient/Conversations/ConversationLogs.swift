import ParleyDeviceStore
import ParleyProtocol

/// What a client knows of its conversations, and how far it holds their logs.
///
/// One of the four owners of a client's state (decision 0045). It does no I/O: what the gateway says goes in, and
/// what follows comes back. What is kept in the database is ``FollowedConversation/kept(own:)`` of each.
final class ConversationLogs {
    /// The device's own user.
    private let user: UserID
    private let followsAll: Bool
    private var known: [ConversationID: FollowedConversation] = [:]
    /// Faults of the gateway that were reported.
    private var disclosed: Set<GatewayFaultError> = []
    /// Faults that were found when the client began, before anybody listened.
    private var loadedFaults: [GatewayFaultError] = []
    /// Messages that could not be opened, to try again when more is known.
    private var unopened = UnopenedMessages()

    /// The most conversations that are known.
    static let capacity = 20_000
    /// The most faults that are reported.
    private static let mostFaults = 1000

    /// - Parameter follows: which conversations are followed from the beginning.
    init(of user: UserID, follows: ClientConfiguration.Following) {
        self.user = user
        followsAll = follows == .all
    }

    /// Loads what was saved. What an earlier version believed and an honest gateway does not say is dropped.
    func load(_ state: ConversationState) {
        var conversation = FollowedConversation(state)
        if let fault = conversation.object?.fault(for: user, known: nil) {
            conversation.object = nil
            loadedFaults.append(fault)
        }
        known[state.id] = conversation
    }

    // MARK: What is known

    subscript(id: ConversationID) -> FollowedConversation? { known[id] }

    var all: some Collection<FollowedConversation> { known.values }

    /// The user ids of a conversation's members, as the gateway says.
    func members(of id: ConversationID) -> [UserID] { known[id]?.members ?? [] }

    /// The direct conversation with another user of which the user is a member.
    func direct(with other: UserID) -> FollowedConversation? {
        known.values.first { entry in
            entry.isMember && entry.object?.type == .known(.direct) && entry.members.contains(other) && other != user
        }
    }

    /// Those that every complete list names: whichever is missing there is none of the user's any more.
    var listed: Set<ConversationID> {
        Set(known.values.filter { $0.object != nil && $0.isMember && $0.isOpen }.map(\.id))
    }

    /// How far each conversation is known, for `sync/get`. One of which nothing is kept yet comes with its newest.
    var cursors: [ConversationID: SyncRequest.Cursor] {
        known.values.reduce(into: [:]) { cursors, entry in
            guard entry.isMember, entry.log.held != nil, let epoch = entry.log.epoch else { return }
            cursors[entry.id] = SyncRequest.Cursor(epoch: epoch, seq: entry.log.contiguousSeq)
        }
    }

    /// Whether everything that is followed is here as far as is known.
    var isSettled: Bool { known.values.allSatisfy { !$0.isFollowed || $0.isSettled } }

    /// Whether everything that came in its turn is kept.
    var isDelivered: Bool { known.values.allSatisfy { $0.log.ready(limit: 1).isEmpty && $0.delivery == .idle } }

    // MARK: What changes it

    /// Changes what is known of one conversation; nothing for one that is not known.
    @discardableResult
    func update<Value>(_ id: ConversationID, _ body: (inout FollowedConversation) -> Value) -> Value? {
        guard known[id] != nil else { return nil }
        return body(&known[id, default: FollowedConversation(id)])
    }

    /// Puts what is known of a conversation in place of what was.
    func replace(_ entry: FollowedConversation) { known[entry.id] = entry }

    /// It is subscribed to, known or not.
    func follow(_ id: ConversationID) { known[id, default: FollowedConversation(id)].membership.follow() }

    /// What the gateway's word of a conversation has changed.
    struct Merge {
        /// `nil` for one that was not known.
        let old: FollowedConversation?
        let new: FollowedConversation
        /// It is to be subscribed to.
        let isNewlyFollowed: Bool

        /// Whether the user sees it from now on and did not before.
        var isAdded: Bool { old?.object == nil || old?.isMember == false || old?.isOpen == false }

        /// Whether a list shows it differently.
        var isChanged: Bool {
            guard let object = new.object else { return false }
            return old?.object?.hasSameFace(as: object) == false || old?.unread.count != new.unread.count
                || old?.preferences != new.preferences
        }

        /// Who is in it now and was not, and who is in it no more. Of the members of a group nothing can be proved:
        /// whoever comes and goes is named before anything is sealed for them.
        var memberChange: (added: [UserID], removed: [UserID])? {
            guard let object = old?.object else { return nil }
            let (before, now) = (Set(object.members.map(\.user)), Set(new.members))
            guard before != now else { return nil }
            return (now.subtracting(before).sorted(), before.subtracting(now).sorted())
        }
    }

    /// Merges what the gateway says of a conversation, if an honest one may say it: whoever is sealed for is a member
    /// by this alone.
    func merge(_ conversation: Conversation) throws(GatewayFaultError) -> Merge {
        let old = known[conversation.id]
        try check(conversation)
        guard old != nil || known.count < ConversationLogs.capacity else { throw .tooManyConversations }
        var entry = old ?? FollowedConversation(conversation.id)
        entry.merge(conversation, follows: followsAll)
        known[conversation.id] = entry
        return Merge(old: old, new: entry, isNewlyFollowed: old?.isFollowed != true && entry.isFollowed)
    }

    /// - Throws: what of this an honest gateway does not say.
    func check(_ conversation: Conversation) throws(GatewayFaultError) {
        if let fault = conversation.fault(for: user, known: known[conversation.id]?.object) { throw fault }
    }

    /// What follows when the user is no member of a conversation.
    enum Removal: Hashable {
        /// They were none, and it was not subscribed to.
        case none
        /// They were none, and it was asked for once more: it is unsubscribed from.
        case unfollowed
        /// It is unsubscribed from, and an event says so where it was seen.
        case left(wasSeen: Bool)
    }

    /// The user is no member any more.
    func remove(_ id: ConversationID) -> Removal {
        guard let entry = known[id], entry.isMember || entry.isFollowed else { return .none }
        known[id]?.membership.leave()
        return entry.isMember ? .left(wasSeen: entry.object != nil) : .unfollowed
    }

    /// There is a new connection: what waited because of the old one is fetched at once.
    func markConnected() {
        for id in known.keys { known[id]?.notBefore = nil }
    }

    // MARK: Records

    /// What a record that came live has led to.
    enum Reception: Hashable {
        /// It is nobody's: it may be behind its subscription's end, or have waited in the broker while the gateway was
        /// put back, which says nothing of the present state.
        case ignored
        case received(isPageMissing: Bool)
    }

    /// A record came live.
    func receive(_ record: MessageRecord) -> Reception {
        let id = record.conversation
        guard let entry = known[id], entry.isFollowed, entry.isPresent(record) || !entry.isPast(record.epoch) else {
            return .ignored
        }
        known[id]?.log.receive(record)
        return .received(isPageMissing: known[id]?.log.want != nil)
    }

    /// A conversation with records that are next in its log. Its delivery is under way until ``endDelivery(of:)``.
    func beginDelivery() -> ConversationID? {
        guard let id = known.values.first(where: { !$0.log.ready(limit: 1).isEmpty })?.id else { return nil }
        known[id]?.delivery = .underWay
        return id
    }

    /// - Returns: whether the device has all that it knows of it.
    func endDelivery(of id: ConversationID) -> Bool {
        known[id]?.delivery = .idle
        return known[id]?.isSettled == true
    }

    // MARK: What is fetched

    func nextToFetch(now: ContinuousClock.Instant) -> ConversationID? {
        known.values.first { entry in
            entry.isFollowed && entry.wantsPage && (entry.notBefore.map { $0 <= now } ?? true)
        }?.id
    }

    /// When something can be fetched that has to wait.
    var nextFetchTime: ContinuousClock.Instant? {
        known.values.filter { $0.isFollowed && $0.wantsPage }.compactMap(\.notBefore).min()
    }

    // MARK: Faults

    /// - Returns: whether the fault is to be reported: each is reported once.
    func disclose(_ fault: GatewayFaultError) -> Bool {
        disclosed.count < ConversationLogs.mostFaults && disclosed.insert(fault).inserted
    }

    func removeLoadedFaults() -> [GatewayFaultError] {
        defer { loadedFaults.removeAll() }
        return loadedFaults
    }

    // MARK: What could not be opened

    func recordUnopened(_ messages: [KeptMessage]) {
        for message in messages where message.isSealed {
            let record = message.record
            recordUnopened(
                UnopenedMessages.Entry(id: record.id, conversation: record.conversation, sender: record.sender))
        }
    }

    func recordUnopened(_ entry: UnopenedMessages.Entry) { unopened.record(entry) }

    /// Those that what is known of a user now may open, which are forgotten here.
    func removeUnopened(of user: UserID, own device: DeviceAddress) -> [UnopenedMessages.Entry] {
        unopened.remove(of: user, own: device)
    }

    var unopenedSenders: Set<UserID> { unopened.senders }
}

extension Conversation {
    /// Whether a list would show both alike.
    fileprivate func hasSameFace(as other: Conversation) -> Bool {
        name == other.name && members == other.members && type == other.type
    }
}
