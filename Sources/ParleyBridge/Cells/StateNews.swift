import ParleyProtocol
import ParleyStore

/// What an event tells the state of, where the database has it: the event says only what to look at.
enum StateSubject: Hashable, Sendable {
    /// What the broker retains on a topic.
    case retained(Topic)
    /// That a user is a member of a conversation, or is none any more.
    case joined(UserID, ConversationID)
    case left(UserID, ConversationID)

    /// Whether it is told once: a broker that is given all that it retains is not given this.
    fileprivate var isToldOnce: Bool {
        switch self {
        case .joined, .left: true
        case .retained: false
        }
    }
}

/// What the loop of cells tells the writer's thread, which publishes the state at this cell's broker.
final class StateNews: Sendable {
    private struct State {
        var events: [StateSubject: [UInt8]] = [:]
        var isTelling = false
        var hasReturned = false
    }

    private let state = Monitor(State())

    /// With so many subjects no more events are read.
    private static let most = 4096

    var hasRoom: Bool { state.withLock { $0.events.count < StateNews.most } }

    /// Adds events that other cells have published, with their payloads.
    func add(_ events: [StateSubject: [UInt8]]) {
        guard !events.isEmpty else { return }
        state.withLock { state in
            state.events.merge(events) { $1 }
            if events.keys.contains(where: \.isToldOnce) { state.isTelling = true }
        }
    }

    /// Whether something that is told once may not be with the publisher yet. A crash must find it in its stream.
    var isTelling: Bool { state.withLock { $0.isTelling } }

    /// Others may have gone on without this cell, and have let go of what it has not read. From now on they keep it.
    func recordReturn() { state.withLock { $0.hasReturned = true } }

    /// Removes the events. Those of before are with the publisher.
    func drainEvents() -> [StateSubject: [UInt8]] {
        state.withLock { state in
            defer { state.events = [:] }
            state.isTelling = state.events.keys.contains(where: \.isToldOnce)
            return state.events
        }
    }

    /// Whether there was a return since this was last asked.
    func takeReturn() -> Bool {
        state.withLock { state in
            defer { state.hasReturned = false }
            return state.hasReturned
        }
    }
}

extension UnpublishedEvent {
    /// What it tells the state of, and its payload; `nil` where it stands for itself.
    var state: (subject: StateSubject, payload: [UInt8])? {
        guard case .event(_, let bytes, let payload, let isRetained, _) = self,
            let topic = Topic(parsing: bytes.span),
            let subject = isRetained ? StateSubject(retainedOn: topic) : StateSubject(payload, on: topic)
        else { return nil }
        return (subject, payload)
    }
}

extension StateSubject {
    fileprivate init?(retainedOn topic: Topic) {
        switch topic {
        case .conversation(_, .info), .group(_, .checkIns), .group(_, .streak), .user(_, .presence):
            self = .retained(topic)
        case .up, .down, .conversation, .group, .user, .gatewayStatus, .gatewayStats: return nil
        }
    }

    private static let memberships = ConversationCreated.names + ConversationRemoval.names

    /// Of an event that is not retained. One that cannot be read is of a cell of another version.
    fileprivate init?(_ payload: [UInt8], on topic: Topic) {
        guard case .user(let user, .events) = topic, EventTable.mayRead(Self.memberships, in: payload),
            let event = try? EventTable.read(payload, on: topic)
        else { return nil }
        if let created = event as? ConversationCreated {
            self = .joined(user, created.conversation.id)
        } else if let removal = event as? ConversationRemoval {
            self = .left(user, removal.conversation)
        } else {
            return nil
        }
    }
}
