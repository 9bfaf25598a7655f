import ParleyProtocol
import ParleyStore
import Platform

/// The amount that waits to be published.
struct OutLoad: Hashable, Sendable {
    /// Events and replies.
    var items = 0
    /// Of their topics and payloads. Those of one batch lie together and count until the last of it is published.
    var bytes = 0

    func isBelow(_ limit: OutLoad) -> Bool { items < limit.items && bytes < limit.bytes }
}

/// The queue between the threads that decide and the one that publishes.
///
/// Changes of audiences overtake everything else: after the COMMIT of a removal no event reaches the removed user, not
/// even an earlier one.
final class OutQueue: Sendable {
    private struct State {
        var audience: [AudienceChange] = []
        /// The changes are of the streams up to here.
        var through = StreamVector()
        var batches: [Outgoing] = []
        var load = OutLoad()
        var isClosed = false

        mutating func append(_ outgoing: Outgoing) {
            guard !outgoing.isEmpty else { return }
            batches.append(outgoing)
            batches[batches.count - 1].queuedAt = .now
            load.items += outgoing.items.count
            load.bytes += outgoing.bytes.count
        }
    }

    private let state = Monitor(State())
    private let limit: OutLoad
    /// Wakes the publishing loop.
    let arrived: WakeUp
    /// Wakes the intake: there is room again, or work of another thread.
    let intakeWake: WakeUp

    /// - Parameter limit: with as many items or bytes there is no room. The effects of one batch may pass it: they are
    ///   committed, and wait nowhere else.
    init(limit: OutLoad) throws(SystemError) {
        self.limit = limit
        arrived = try WakeUp()
        intakeWake = try WakeUp()
    }

    /// Whether there is room for another batch.
    var hasRoom: Bool { state.withLock { $0.load.isBelow(limit) } }

    var load: OutLoad { state.withLock { $0.load } }

    /// Adds the events and replies of a commit. Never waits: the intake asks for room before it reads.
    ///
    /// - Parameter through: the streams of cells up to which there are no other changes.
    func add(_ outgoing: Outgoing, audience: [AudienceChange] = [], through: StreamVector = StreamVector()) {
        guard !outgoing.isEmpty || !audience.isEmpty || !through.isEmpty else { return }
        state.withLock { state in
            state.audience += audience
            state.through.advance(to: through)
            state.append(outgoing)
        }
        arrived.signal()
    }

    func add(_ effects: Effects) { add(effects.outgoing, audience: effects.audience) }

    /// Adds a reader's reply once there is room, or drops it when the queue is closed.
    func addWhenRoom(_ outgoing: Outgoing) {
        let isAdded = state.wait { state -> Bool? in
            if state.isClosed { return false }
            guard state.load.isBelow(limit) else { return nil }
            state.append(outgoing)
            return true
        }
        if isAdded { arrived.signal() }
    }

    /// Removes all changes of audiences.
    ///
    /// - Returns: with the streams up to which these are all.
    func drainAudience() -> (changes: [AudienceChange], through: StreamVector) {
        state.withLock { state in
            defer { state.audience.removeAll() }
            return (state.audience, state.through)
        }
    }

    /// Drops changes that a later snapshot contains.
    func forgetAudience() { state.withLock { $0.audience.removeAll() } }

    /// Removes all batches, in order. They take room until `release`.
    func drainBatches() -> [Outgoing] {
        state.withLock { state in
            defer { state.batches.removeAll() }
            return state.batches
        }
    }

    /// The broker has acknowledged so much, or it was dropped.
    func release(_ finished: OutLoad) {
        guard finished != OutLoad() else { return }
        let hadNoRoom = state.withLock { state in
            let hadNoRoom = !state.load.isBelow(limit)
            state.load.items -= finished.items
            state.load.bytes -= finished.bytes
            return hadNoRoom
        }
        if hadNoRoom { intakeWake.signal() }
    }

    /// Ends all waiting.
    func close() { state.withLock { $0.isClosed = true } }
}
