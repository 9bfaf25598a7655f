import Logging
import ParleyProtocol
import ParleyRules
import ParleyStore

/// Publishes at this cell's broker what events of other cells tell the state of: as the database has it now.
///
/// The streams of cells do not tell which of two events of a subject was last, and the last one stays: with the broker,
/// and with devices. But this thread publishes this cell's own. What it reads in a transaction has all that it has
/// published, and goes behind it.
final class StateDuty: Duty {
    typealias Done = [StateSubject]
    typealias Wake = Never
    static let failure: Logger.Message = "what other cells have changed could not be published"
    static let sharedWork: SharedWork? = nil
    static let publishes = true
    /// With the payloads as they came.
    private var events: [StateSubject: [UInt8]] = [:]
    private var pace = Pace()

    /// The most subjects in one transaction, which holds up the batch behind it.
    private static let atOnce = 64

    /// Whether all is published.
    var isEmpty: Bool { events.isEmpty }

    func add(_ events: [StateSubject: [UInt8]]) { self.events.merge(events) { $1 } }

    func wait(at moment: Moment) -> Duration? {
        events.isEmpty ? nil : pace.wait(until: moment.steady, now: moment.steady)
    }

    /// - Returns: the subjects of the part.
    func run(in batch: Batch) throws(StoreError) -> [StateSubject] {
        let part = Array(events.prefix(Self.atOnce))
        let presence = try batch.facts().presence.stored(of: part.compactMap(\.key.presentUser))
        for (subject, payload) in part {
            switch subject {
            case .joined(let user, let conversation):
                guard try isMember(user, of: conversation, batch) else { continue }
                batch.effects.tell(payload, on: .user(user, .events))
            case .left(let user, let conversation):
                guard try !isMember(user, of: conversation, batch) else { continue }
                batch.effects.tell(payload, on: .user(user, .events))
            case .retained(.user(let user, .presence)): publish(presence[user], of: user, batch)
            case .retained(.conversation(let id, .info)): try publishInfo(of: id, payload, batch)
            case .retained(.group(let id, .checkIns)): try publish(.checkIns, of: id, payload, batch)
            case .retained(.group(let id, .streak)): try publish(.streak, of: id, payload, batch)
            case .retained: break
            }
        }
        return part.map(\.key)
    }

    private func isMember(
        _ user: UserID, of id: ConversationID, _ batch: Batch
    ) throws(StoreError) -> Bool {
        try batch.facts().conversations.conversation(id)?.facts.users.contains(user) ?? false
    }

    private func publish(_ presence: StoredPresence?, of user: UserID, _ batch: Batch) {
        guard let presence else { return batch.effects.clearHere(.user(user, .presence)) }
        batch.effects.publishHere(PresenceUpdate(presence))
    }

    /// What is retained of a direct conversation is as both saw it at the beginning: the event itself.
    private func publishInfo(of id: ConversationID, _ payload: [UInt8], _ batch: Batch) throws(StoreError) {
        let (facts, topic) = (try batch.facts(), Topic.conversation(id, .info))
        guard let key = try facts.outbox.keys(of: [id])[id],
            let conversation = try facts.conversations.object(key, seenBy: nil), !conversation.members.isEmpty
        else { return batch.effects.clearHere(topic) }
        guard conversation.type == .known(.group) else {
            return batch.effects.tell(payload, on: topic, isRetained: true)
        }
        batch.effects.publishHere(ConversationUpdated(conversation))
    }

    /// Between two weeks there may be no board of the current one: the event itself.
    private func publish(
        _ type: LeaderboardType, of id: GroupID, _ payload: [UInt8], _ batch: Batch
    ) throws(StoreError) {
        let (facts, topic) = (try batch.facts(), Topic.group(id, type.channel))
        guard let group = try facts.groups.group(id), let week = try facts.boardWeeks.week(of: group.key) else {
            return batch.effects.clearHere(topic)
        }
        guard let board = try facts.boards.board(BoardKey(group.key, week.period.week, type)),
            board.period.contains(batch.now)
        else { return batch.effects.tell(payload, on: topic, isRetained: true) }
        batch.effects.publishHere(
            try facts.leaderboard(board, week, grace: batch.environment.settings.weekGrace, now: batch.now))
    }

    func recordCommitted(_ subjects: [StateSubject], at moment: Moment) {
        for subject in subjects { events[subject] = nil }
        pace.rest(for: events.isEmpty ? .zero : Pace.pause(after: subjects.count / 8), from: moment.steady)
    }

    func recordFailure(at moment: Moment) { pace.rest(for: Self.pauseAfterFailure, from: moment.steady) }
}

extension StateSubject {
    fileprivate var presentUser: UserID? {
        if case .retained(.user(let user, .presence)) = self { user } else { nil }
    }
}

extension Effects {
    /// Publishes a retained event at this cell's broker alone: the others have it, or read it by themselves. A crash
    /// may lose it, and the next process publishes all that is retained again.
    mutating func publishHere(_ event: some AddressedEvent) {
        outgoing.event(event.topic, position: nil, retain: true, event.writeEvent)
    }

    /// Publishes another cell's event as it came.
    fileprivate mutating func tell(_ payload: [UInt8], on topic: Topic, isRetained: Bool = false) {
        outgoing.raw(topic: Array(topic.name.utf8), payload: payload, position: nil, retain: isRetained)
    }

    /// Removes what is retained, by an empty payload (MQTT 5, 3.3.1.3).
    fileprivate mutating func clearHere(_ topic: Topic) {
        outgoing.event(topic, position: nil, retain: true) { _ in }
    }
}

extension Writer {
    /// Has this thread publish what other cells have changed of what devices are to know the last state of.
    func hear(of states: StateNews, now: Timestamp) {
        guard store.cells != nil, let duty = duties[StateDuty.self] else { return }
        if duty.isEmpty { duty.add(states.drainEvents()) }
        guard states.takeReturn() else { return }
        duties[PresenceDuty.self]?.recordReturn(now: now)
        duties[InfoDuty.self]?.recordReturn()
        duties[BoardDuty.self]?.clock.recordReturn()
    }
}
