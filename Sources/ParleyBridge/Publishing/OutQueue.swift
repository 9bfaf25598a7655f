import MQTTClient
import ParleyProtocol

/// What waits for the broker, between the threads that decide and the one that publishes.
///
/// Changes of who hears what overtake everything: what is published after a removal was committed must not reach who was
/// removed, even where it was committed before.
final class OutQueue: Sendable {
    private struct State {
        var audience: [AudienceChange] = []
        var batches: [Outgoing] = []
        var itemCount = 0
        var isClosed = false
    }

    private let state = Monitor(State())
    private let limit: Int
    /// Wakes the publishing loop.
    let arrived: WakeUp
    /// Wakes the intake, when there is room again.
    let roomMade: WakeUp

    init(limit: Int) throws(SystemError) {
        self.limit = limit
        arrived = try WakeUp()
        roomMade = try WakeUp()
    }

    /// Whether there is room for another batch.
    var hasRoom: Bool { state.withLock { $0.itemCount < limit } }

    var count: Int { state.withLock { $0.itemCount } }

    /// Adds what one commit has to say. Never waits: the intake asks for room before it reads.
    func add(_ outgoing: Outgoing, audience: [AudienceChange] = []) {
        guard !outgoing.isEmpty || !audience.isEmpty else { return }
        state.withLock { state in
            state.audience += audience
            if !outgoing.isEmpty {
                state.batches.append(outgoing)
                state.itemCount += outgoing.items.count
            }
        }
        arrived.signal()
    }

    /// Adds once there is room, or drops when the queue is closed: for the readers.
    func addWhenRoom(_ outgoing: Outgoing) {
        let isAdded = state.wait { state -> Bool? in
            if state.isClosed { return false }
            guard state.itemCount < limit else { return nil }
            state.batches.append(outgoing)
            state.itemCount += outgoing.items.count
            return true
        }
        if isAdded { arrived.signal() }
    }

    /// Takes all changes of audiences, which go first.
    func takeAudience() -> [AudienceChange] {
        state.withLock { state in
            defer { state.audience.removeAll() }
            return state.audience
        }
    }

    /// Forgets changes that a snapshot read from now on holds.
    func forgetAudience() { state.withLock { $0.audience.removeAll() } }

    /// Takes all batches in order. They count until `published` is told of them.
    func takeBatches() -> [Outgoing] {
        state.withLock { state in
            defer { state.batches.removeAll() }
            return state.batches
        }
    }

    /// So many items were acknowledged by the broker or given up.
    func published(_ count: Int) {
        guard count > 0 else { return }
        let hadNoRoom = state.withLock { state in
            let hadNoRoom = state.itemCount >= limit
            state.itemCount -= count
            return hadNoRoom
        }
        if hadNoRoom { roomMade.signal() }
    }

    /// Lets nobody wait any more.
    func close() { state.withLock { $0.isClosed = true } }
}
