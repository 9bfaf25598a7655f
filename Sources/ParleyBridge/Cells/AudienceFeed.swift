import ParleyProtocol
import ParleyStore

/// How far this cell has brought the changes of audiences, of all streams, to its broker's plugin.
///
/// The publisher takes a snapshot of all audiences at each connection, the loop of cells reads changes: each does so in
/// turn, so that what was read earlier goes earlier.
final class AudienceFeed: Sendable {
    private struct State {
        /// Read from the store, and before the publisher.
        var read = StreamVector()
        /// Acknowledged by the plugin.
        var inForce = StreamVector()
        /// Whether the publisher feeds the plugin. While it does not, it publishes nothing either, and the next
        /// connection begins with a snapshot.
        var isAttached = false
        /// Until when this cell may let devices hear anything; `nil` without an end.
        var lease: AudienceChange?
        /// Whether this cell may have missed changes: others went on without it, or it cannot read what they told.
        var isStale = false
        /// How many times other cells may have gone on without this one.
        var lapses = 0
    }

    private let state: Monitor<State>
    private let turn = Monitor(())

    /// - Parameter wasAway: whether other cells have gone on without this one before the process started.
    init(wasAway: Bool = false) { state = Monitor(State(lapses: wasAway ? 1 : 0)) }

    /// Reads changes, or all audiences, from the store and hands them on, before anybody else does the same.
    func inTurn<Result>(_ body: () throws -> Result) rethrows -> Result { try turn.withLock { _ in try body() } }

    /// A new connection's snapshot holds the changes up to here.
    func attach(at vector: StreamVector) {
        state.withLock { state in
            state.isAttached = true
            state.isStale = false
            state.read.advance(to: vector)
            state.inForce.advance(to: vector)
        }
    }

    /// The lease that the plugin is to be told of with each snapshot.
    var lease: AudienceChange? {
        get { state.withLock { $0.lease } }
        set { state.withLock { $0.lease = newValue } }
    }

    /// The lease was over before it was extended.
    func recordLapse() {
        state.withLock { state in
            state.lapses += 1
            state.isStale = true
        }
    }

    /// How many times other cells may have gone on without this one, until now.
    ///
    /// - Parameter now: in nanoseconds since the start of the machine.
    func lapses(now: Int64) -> Int {
        state.withLock { state in
            guard case .lease(let end)? = state.lease, Int64(clamping: end) <= now else { return state.lapses }
            return state.lapses + 1
        }
    }

    /// Changes may have been missed: the plugin needs a snapshot.
    func markStale() { state.withLock { $0.isStale = true } }

    var isStale: Bool { state.withLock { $0.isStale } }

    func detach() { state.withLock { $0.isAttached = false } }

    /// Changes up to here were handed to the publisher.
    func recordRead(_ vector: StreamVector) { state.withLock { $0.read.advance(to: vector) } }

    /// The plugin has acknowledged changes up to here.
    func recordInForce(_ vector: StreamVector) { state.withLock { $0.inForce.advance(to: vector) } }

    /// Nobody at this cell hears what the changes up to here forbid.
    var inForce: StreamVector { state.withLock { $0.isAttached ? $0.inForce : $0.read } }
}
