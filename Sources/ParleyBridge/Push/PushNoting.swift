import ParleyProtocol
import ParleyRules
import ParleyStore

/// Notes, in the transaction of what happens, that somebody may be to be notified of it; whom, is decided later.
///
/// Almost every message goes to people who are all connected, and nothing is noted of it. Confined to the writer's thread.
final class PushNoting {
    let people: ConnectedPeople
    private let notifiesConnected: Bool
    private let hasSink: Bool
    /// Whose devices may show something, and are to be told what is to be taken away.
    private var shown: Set<UserID> = []
    /// Whether any device is registered. It stays true until the next start.
    private var hasRegistrations = false
    /// Called when something was noted and is committed.
    private let onNoted: @Sendable () -> Void

    init(
        _ settings: Settings, people: ConnectedPeople = ConnectedPeople(), onNoted: @escaping @Sendable () -> Void = {}
    ) {
        self.people = people
        self.onNoted = onNoted
        notifiesConnected = settings.pushAlways
        hasSink = !settings.pushSink.isEmpty
    }

    /// Reads what an earlier process has left.
    func load(_ snapshot: Snapshot) throws(StoreError) {
        shown = Set(try snapshot.pushJobs.usersShown())
        hasRegistrations = try snapshot.pushRegistrations.hasAny()
    }

    /// What a transaction has changed.
    struct Changes {
        var hasNoted = false
        var hasRegistration = false
        /// Who was notified.
        var shown: [UserID] = []
        /// Whose devices show nothing any more.
        var cleared: [UserID] = []
        /// How many notifications wait no more, because too many do for their device.
        var dropped = 0
    }

    func recordCommitted(_ changes: Changes) {
        hasRegistrations = hasRegistrations || changes.hasRegistration
        shown.subtract(changes.cleared)
        shown.formUnion(changes.shown)
        if changes.hasNoted { onNoted() }
    }

    /// How many members a message may be one to notify of.
    ///
    /// - Parameter isUrgent: an urgent one is always noted, so that it is known as such when somebody turns out not to have been
    ///   connected.
    func membersConcerned(in conversation: ConversationState, besides sender: UserID, isUrgent: Bool) -> Int {
        let others = conversation.facts.members.lazy.map(\.user).filter { $0 != sender }
        return notifiesConnected || isUrgent ? others.count : people.awayCount(among: others)
    }

    /// Whether somebody's devices may show something.
    func mayShow(_ user: UserID) -> Bool { shown.contains(user) }

    /// Whether anybody's devices may show something.
    var mayShowAny: Bool { !shown.isEmpty }

    /// Whether what comes into a feed may go to a device, or to what stands for one in development.
    var reachesDevices: Bool { hasRegistrations || hasSink }
}

extension Batch {
    var pushNotes: PushNotes { PushNotes(batch: self) }
}

/// Notes in a transaction what somebody may be to be notified of.
struct PushNotes {
    let batch: Batch

    /// A message of a person.
    ///
    /// - Returns: how many members may be to be notified of it.
    func message(
        _ record: MessageRecord, in conversation: ConversationState, at position: StreamPosition, isUrgent: Bool
    ) -> Int {
        guard record.kind == .known(.message), record.type != .known(.system) else { return 0 }
        let concerned = batch.environment.push.membersConcerned(
            in: conversation, besides: record.sender.user, isUrgent: isUrgent)
        guard concerned > 0 else { return 0 }
        note(.message(conversation.key, seq: record.seq, isUrgent: isUrgent), at: position)
        return concerned
    }

    /// What has come into somebody's feed.
    func feed(_ notification: NotificationID, of user: UserID, at position: StreamPosition) {
        guard batch.environment.push.reachesDevices else { return }
        note(.feed(notification, of: user), at: position)
    }

    /// A message is gone that devices of others than its sender may show.
    func removal(
        of seq: Int, in conversation: ConversationState, by sender: UserID, at position: StreamPosition
    ) {
        let push = batch.environment.push
        guard conversation.facts.members.contains(where: { $0.user != sender && push.mayShow($0.user) }) else { return }
        note(.removal(conversation.key, seq: seq), at: position)
    }

    /// What devices show of a conversation up to a place is read, or no longer for their user.
    ///
    /// - Parameter device: the one that has done it, and knows.
    func clearing(
        upTo seq: Int, in conversation: ConversationKey, of user: UserID, besides device: DeviceID? = nil,
        at position: StreamPosition
    ) {
        guard batch.environment.push.mayShow(user) else { return }
        note(.clearing(conversation, seq: seq, of: user, besides: device), at: position)
    }

    private func note(_ subject: PushEvent.Subject, at position: StreamPosition) {
        batch.effects.writes.append(
            PushEvent(position: position, subject: subject, createdAt: batch.now, steadyAt: batch.steady))
        batch.afterCommit.push.hasNoted = true
    }
}
