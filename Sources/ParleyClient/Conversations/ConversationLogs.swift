import ParleyDeviceStore
import ParleyProtocol

/// The client's conversations, and how much of their logs it holds.
///
/// An owner of state (decision 0067): it does no I/O. ``FollowedConversation/kept(own:)`` is stored of each
/// conversation.
final class ConversationLogs {
    private let user: UserID
    private let followsAll: Bool
    private var known: [ConversationID: FollowedConversation] = [:]
    private var disclosed: Set<GatewayFaultError> = []
    /// Faults that were found when the client began, before anybody listened.
    private var loadedFaults: [GatewayFaultError] = []
    /// Messages that could not be opened, to be tried again with newer keys.
    var unopened = UnopenedMessages()

    static let capacity = 20_000
    private static let mostFaults = 1000

    /// - Parameter follows: the conversations to follow from the start.
    init(of user: UserID, follows: ClientConfiguration.Following) {
        self.user = user
        followsAll = follows == .all
    }

    /// Loads a stored conversation. What no honest gateway says, and an earlier version stored, is dropped.
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

    /// A conversation's members, as the gateway says.
    func members(of id: ConversationID) -> [UserID] { known[id]?.members ?? [] }

    /// The direct conversation with another user, if the user is a member.
    func direct(with other: UserID) -> FollowedConversation? {
        known.values.first { entry in
            entry.isMember && entry.object?.type == .known(.direct) && entry.members.contains(other) && other != user
        }
    }

    /// The conversations that a complete list contains: one that is missing there has ended.
    var listed: Set<ConversationID> {
        Set(known.values.filter { $0.object != nil && $0.isMember && $0.isOpen }.map(\.id))
    }

    /// The positions for `sync/get`. A conversation without stored messages has none, and comes with its newest.
    var cursors: [ConversationID: SyncRequest.Cursor] {
        known.values.reduce(into: [:]) { cursors, entry in
            guard entry.isMember, entry.log.held != nil, let epoch = entry.log.epoch else { return }
            cursors[entry.id] = SyncRequest.Cursor(epoch: epoch, seq: entry.log.contiguousSeq)
        }
    }

    /// Whether nothing is known to be missing of the followed conversations.
    var isSettled: Bool { known.values.allSatisfy { !$0.isFollowed || $0.isSettled } }

    /// Whether no received record waits to be stored.
    var isDelivered: Bool { known.values.allSatisfy { $0.log.ready(limit: 1).isEmpty && $0.delivery == .idle } }

    // MARK: What changes it

    @discardableResult
    func update<Value>(_ id: ConversationID, _ body: (inout FollowedConversation) -> Value) -> Value? {
        guard known[id] != nil else { return nil }
        return body(&known[id, default: FollowedConversation(id)])
    }

    func replace(_ entry: FollowedConversation) { known[entry.id] = entry }

    func follow(_ id: ConversationID) { known[id, default: FollowedConversation(id)].membership.follow() }

    struct Merge {
        /// `nil` for a new one.
        let old: FollowedConversation?
        let new: FollowedConversation
        /// Whether to subscribe to it.
        let isNewlyFollowed: Bool

        /// Whether it becomes visible to the user.
        var isAdded: Bool { old?.object == nil || old?.isMember == false || old?.isOpen == false }

        var isChanged: Bool {
            guard let object = new.object else { return false }
            return old?.object?.looksSame(as: object) == false || old?.unread.count != new.unread.count
                || old?.preferences != new.preferences
        }

        /// The members that joined and left. The members of a group cannot be verified: joins are reported before
        /// anything is sealed for them.
        var memberChange: (added: [UserID], removed: [UserID])? {
            guard let object = old?.object else { return nil }
            let (before, now) = (Set(object.members.map(\.user)), Set(new.members))
            guard before != now else { return nil }
            return (now.subtracting(before).sorted(), before.subtracting(now).sorted())
        }
    }

    /// Merges a conversation object that an honest gateway can send: it alone decides for which members messages are
    /// sealed.
    func merge(_ conversation: Conversation) throws(GatewayFaultError) -> Merge {
        let old = known[conversation.id]
        try check(conversation)
        guard old != nil || known.count < ConversationLogs.capacity else { throw .tooManyConversations }
        var entry = old ?? FollowedConversation(conversation.id)
        entry.merge(conversation, follows: followsAll)
        known[conversation.id] = entry
        return Merge(old: old, new: entry, isNewlyFollowed: old?.isFollowed != true && entry.isFollowed)
    }

    /// - Throws: the fault of an object that no honest gateway sends.
    func check(_ conversation: Conversation) throws(GatewayFaultError) {
        if let fault = conversation.fault(for: user, known: known[conversation.id]?.object) { throw fault }
    }

    /// The consequence when the user is no member of a conversation.
    enum Removal: Hashable {
        /// Nothing: the user was no member, and nothing was subscribed to.
        case none
        /// Unsubscribe: the user was no member, and the conversation was requested again.
        case unfollowed
        /// Unsubscribe, and emit an event if it was visible.
        case left(wasSeen: Bool)
    }

    /// The user is no longer a member.
    func remove(_ id: ConversationID) -> Removal {
        guard let entry = known[id], entry.isMember || entry.isFollowed else { return .none }
        known[id]?.membership.leave()
        return entry.isMember ? .left(wasSeen: entry.object != nil) : .unfollowed
    }

    /// A new connection: delayed fetches are due at once.
    func markConnected() {
        for id in known.keys { known[id]?.notBefore = nil }
    }

    // MARK: Records

    enum Reception: Hashable {
        /// Ignored: not subscribed to, or of an epoch before the gateway was restored from a backup.
        case ignored
        case received(isPageMissing: Bool)
    }

    func receive(_ record: MessageRecord) -> Reception {
        let id = record.conversation
        guard let entry = known[id], entry.isFollowed, entry.isPresent(record) || !entry.isPast(record.epoch) else {
            return .ignored
        }
        known[id]?.log.receive(record)
        return .received(isPageMissing: known[id]?.log.want != nil)
    }

    /// A conversation with records to deliver. Its delivery runs until ``endDelivery(of:)``.
    func beginDelivery() -> ConversationID? {
        guard let id = known.values.first(where: { !$0.log.ready(limit: 1).isEmpty })?.id else { return nil }
        known[id]?.delivery = .underWay
        return id
    }

    /// - Returns: whether nothing is known to be missing of it.
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

    var nextFetchTime: ContinuousClock.Instant? {
        known.values.filter { $0.isFollowed && $0.wantsPage }.compactMap(\.notBefore).min()
    }

    // MARK: Faults

    /// - Returns: whether to report the fault: each is reported once.
    func disclose(_ fault: GatewayFaultError) -> Bool {
        disclosed.count < ConversationLogs.mostFaults && disclosed.insert(fault).inserted
    }

    func removeLoadedFaults() -> [GatewayFaultError] {
        defer { loadedFaults.removeAll() }
        return loadedFaults
    }
}

extension Conversation {
    fileprivate func looksSame(as other: Conversation) -> Bool {
        name == other.name && members == other.members && type == other.type
    }
}
