import ParleyProtocol
import ParleyRules
import ParleyStore

/// State that the writer and the thread of pushes share.
struct PushShared: Sendable {
    var people = ConnectedPeople()
    var displaying = DisplayingUsers()
    var announcements = PushAnnouncements()
}

/// Tells the writer whether an event is needed, by what it shares with the thread of pushes. Confined to the writer's
/// thread.
///
/// Almost every message goes to people who are all connected, and needs none.
final class PushGate {
    private let shared: PushShared
    private let notifiesConnected: Bool
    private let hasSink: Bool
    /// Whether other gateways have registered and notified devices, too.
    private(set) var sharesDevices = false
    /// Whether any device is registered. It stays true until the next start.
    private var hasRegistrations = false
    /// Called when an event is committed.
    private let onEvent: @Sendable () -> Void

    init(_ settings: Settings, _ shared: PushShared = PushShared(), onEvent: @escaping @Sendable () -> Void = {}) {
        self.shared = shared
        self.onEvent = onEvent
        notifiesConnected = settings.pushAlways
        hasSink = !settings.pushSink.isEmpty
    }

    var people: ConnectedPeople { shared.people }
    var displaying: DisplayingUsers { shared.displaying }
    var announcements: PushAnnouncements { shared.announcements }

    /// - Parameter sharesDevices: whether other gateways register and notify devices, too. Then the database knows
    ///   whose devices display something: see `PushEventWrites`.
    func load(_ snapshot: Snapshot, _ pushes: PushSnapshot, sharesDevices: Bool) throws(StoreError) {
        self.sharesDevices = sharesDevices
        guard !sharesDevices else { return }
        displaying.add(Set(try pushes.displays.users()))
        hasRegistrations = try snapshot.pushRegistrations.hasAny()
    }

    struct Changes {
        var hasEvent = false
        var hasRegistration = false
    }

    func recordCommitted(_ changes: Changes) {
        hasRegistrations = hasRegistrations || changes.hasRegistration
        if changes.hasEvent { onEvent() }
    }

    /// How many members may have to be notified of a message.
    ///
    /// - Parameters:
    ///   - isUrgent: an urgent message always has an event, so that it is known as urgent when a connection turns out
    ///     to have been dead.
    ///   - elsewhere: users who are connected to another gateway.
    func membersConcerned(
        in conversation: ConversationState, besides sender: UserID, isUrgent: Bool, elsewhere: Set<UserID>
    ) -> Int {
        let others = conversation.facts.members.lazy.map(\.user).filter { $0 != sender }
        guard !notifiesConnected, !isUrgent else { return others.count }
        return people.awayCount(among: others.filter { !elsewhere.contains($0) })
    }

    /// Whether an item of a feed may go to a device, or to the sink.
    var reachesDevices: Bool { hasRegistrations || hasSink || sharesDevices }

    /// Whether a user's devices may display something.
    func mayDisplay(_ user: UserID) -> Bool { sharesDevices || displaying.contains(user) }

    var mayDisplayAny: Bool { sharesDevices || !displaying.isEmpty }
}

extension Batch {
    var pushTriggers: PushTriggers { PushTriggers(batch: self) }
}

/// Adds events to the transaction of what happened. The thread of pushes decides whom to notify.
struct PushTriggers {
    let batch: Batch

    private var push: PushGate { batch.environment.push }

    /// - Returns: how many members may have to be notified of it.
    func message(
        _ record: MessageRecord, in conversation: ConversationState, at position: StreamPosition, isUrgent: Bool
    ) -> Int {
        guard record.kind == .known(.message), record.type != .known(.system) else { return 0 }
        let concerned = push.membersConcerned(
            in: conversation, besides: record.sender.user, isUrgent: isUrgent, elsewhere: batch.connectedElsewhere)
        guard concerned > 0 else { return 0 }
        append(.message(conversation.key, seq: record.seq, isUrgent: isUrgent), at: position)
        return concerned
    }

    /// An item has come into a user's feed.
    func feed(_ notification: NotificationID, of user: UserID, at position: StreamPosition) {
        guard push.reachesDevices else { return }
        append(.feed(notification, of: user), at: position)
    }

    /// A message is deleted or has disappeared.
    func removal(
        of seq: Int, in conversation: ConversationState, by sender: UserID, at position: StreamPosition
    ) {
        let others = conversation.facts.members.lazy.map(\.user).filter { $0 != sender }
        guard others.contains(where: push.mayDisplay) else { return }
        append(
            .removal(conversation.key, seq: seq), at: position, wakes: others.contains(where: push.displaying.contains))
    }

    /// A user has read a conversation up to a message, or is not notified of it any more.
    ///
    /// - Parameter device: the one that has caused it, and knows.
    func clearing(
        upTo seq: Int, in conversation: ConversationKey, of user: UserID, besides device: DeviceID? = nil,
        at position: StreamPosition
    ) {
        guard push.mayDisplay(user) else { return }
        append(
            .clearing(conversation, seq: seq, of: user, besides: device), at: position,
            wakes: push.displaying.contains(user))
    }

    /// An operator tests a device.
    func test(_ id: NotificationID, of device: DeviceAddress, at position: StreamPosition) {
        append(.test(id, to: device), at: position)
    }

    /// A user's quiet hours have changed.
    func quietHours(of user: UserID) { append(.quietHours(of: user), at: StreamPosition(number: 0)) }

    /// - Parameter wakes: `false` where there is hardly ever something to do: it is found at the next look.
    private func append(_ subject: PushEvent.Subject, at position: StreamPosition, wakes: Bool = true) {
        batch.effects.writes.append(
            PushEvent(position: position, subject: subject, createdAt: batch.now, steadyAt: batch.steady))
        if wakes { batch.afterCommit.push.hasEvent = true }
    }
}
