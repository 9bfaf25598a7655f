import ParleyProtocol
import ParleyStore
import Platform

/// How far this cell has brought the changes of audiences, of all streams, to its broker's plugin, and whether it may
/// go on with its lease.
///
/// The publisher takes a snapshot of all audiences at each connection, the loop of cells reads changes: each does so in
/// turn, so that what was read earlier goes earlier.
///
/// A cell has a lease for as long as its plugin follows. A snapshot may take longer than that: meanwhile nobody waits
/// for this cell. At its end the lease is taken again, then a round reads what has changed since, and with that the
/// snapshot comes into force.
final class AudienceFeed: Sendable {
    /// What the publisher's connection is at.
    fileprivate enum Phase {
        /// No connection, or a snapshot under way.
        case apart
        /// The snapshot is with the plugin, and needs a lease.
        case awaitingLease
        /// Then a round that begins under it.
        case awaitingRound
        case caughtUp
        /// The plugin follows.
        case following
    }

    private struct State {
        var phase = Phase.apart
        /// The end of a snapshot that the loop of cells does not know of yet.
        var snapshot: StreamVector?
        /// Acknowledged by the plugin.
        var inForce = StreamVector()
        /// The last lease, and the last that the plugin has acknowledged.
        var lease: Lease?
        var acknowledged: Lease?
        /// When the streams of the others were last read.
        var readAt: ContinuousClock.Instant?
        /// Whether this cell may have missed changes: others went on without it, or it cannot read what they told.
        var isStale = false
        /// How many times devices may have gone to other cells, which then went on without this one.
        var lapses = 0
        /// Whether the end of the lease that the plugin was last known to have is among these.
        var hasEnded = false

        /// Without another lease in time the plugin has ended the connections of devices.
        mutating func recordEnd(now: Int64) {
            guard !hasEnded, acknowledged?.isOver(now: now) == true else { return }
            hasEnded = true
            lapses += 1
        }

        mutating func acknowledge(_ new: Lease, now: Int64) {
            recordEnd(now: now)
            acknowledged = new
            hasEnded = false
        }
    }

    private let state: Monitor<State>
    private let turn = Monitor(())
    /// Wakes the thread that extends the lease.
    let leaseWake: WakeUp

    /// - Parameter wasAway: whether other cells have gone on without this one before the process started.
    init(wasAway: Bool = false) throws(SystemError) {
        state = Monitor(State(lapses: wasAway ? 1 : 0))
        leaseWake = try WakeUp()
    }

    /// Reads changes, or all audiences, from the store and hands them on, before anybody else does the same.
    func inTurn<Result>(_ body: () throws -> Result) rethrows -> Result { try turn.withLock { _ in try body() } }

    // MARK: The publisher's connection

    /// A snapshot with the changes up to here is on its way.
    func beginSnapshot(at vector: StreamVector) {
        state.withLock { state in
            state.phase = .apart
            state.snapshot = vector
            state.isStale = false
        }
    }

    /// The plugin has all of the snapshot.
    func awaitLease() {
        state.withLock { $0.phase = .awaitingLease }
        leaseWake.signal()
    }

    /// Whether there is a lease again, and all that had changed before it was read.
    var hasCaughtUp: Bool { state.withLock { $0.phase == .caughtUp } }

    /// The plugin follows from here on.
    ///
    /// - Parameter now: in nanoseconds since the start of the machine.
    func follow(at vector: StreamVector, under lease: Lease, now: Int64 = SystemClock.sinceBoot.nanoseconds) {
        state.withLock { state in
            state.phase = .following
            state.inForce.advance(to: vector)
            state.acknowledge(lease, now: now)
        }
        leaseWake.signal()
    }

    /// The plugin has acknowledged changes up to here.
    ///
    /// - Parameter now: in nanoseconds since the start of the machine.
    func recordInForce(_ vector: StreamVector, lease: Lease, now: Int64 = SystemClock.sinceBoot.nanoseconds) {
        state.withLock { state in
            state.inForce.advance(to: vector)
            if lease != state.acknowledged { state.acknowledge(lease, now: now) }
        }
        leaseWake.signal()
    }

    /// Whether the plugin follows.
    var isFollowing: Bool { state.withLock { $0.phase == .following } }

    func detach() { state.withLock { $0.phase = .apart } }

    /// Nobody at this cell hears what the changes up to here forbid.
    var inForce: StreamVector { state.withLock { $0.inForce } }

    /// Changes may have been missed: the plugin needs a snapshot.
    func markStale() { state.withLock { $0.isStale = true } }

    var isStale: Bool { state.withLock { $0.isStale } }

    // MARK: Rounds

    /// A round that begins now.
    struct Round {
        /// Whether the plugin is to be told of changes; if not, the next snapshot has them.
        let readsChanges: Bool
        /// The changes up to here are in a snapshot.
        let snapshot: StreamVector?
        fileprivate let phase: Phase
    }

    func beginRound() -> Round {
        state.withLock { state in
            defer { state.snapshot = nil }
            return Round(readsChanges: state.phase != .apart, snapshot: state.snapshot, phase: state.phase)
        }
    }

    /// What the round has read is handed on.
    ///
    /// - Returns: whether the publisher has waited for it.
    func end(_ round: Round) -> Bool {
        state.withLock { state in
            state.readAt = .now
            guard round.phase == .awaitingRound, state.phase == .awaitingRound else { return false }
            state.phase = .caughtUp
            return true
        }
    }

    // MARK: The lease

    /// Without a round for so long this cell does not follow the others.
    private static let longestRound = Duration.seconds(3)

    enum LeaseNeed {
        case none
        /// Before it is over.
        case inTime
        case atOnce
    }

    /// Whether the lease is to be extended, or taken again: only while the plugin has the last one, and the others are
    /// heard.
    var leaseNeed: LeaseNeed {
        state.withLock { state in
            switch state.phase {
            case .apart, .awaitingRound, .caughtUp: return .none
            case .awaitingLease: return .atOnce
            case .following:
                let isHearing = state.readAt.map { $0.duration(to: .now) < AudienceFeed.longestRound } ?? false
                return isHearing && state.lease == state.acknowledged ? .inTime : .none
            }
        }
    }

    /// - Parameters:
    ///   - wasOver: whether the one before was over, so that others may have gone on without this cell.
    ///   - wasForgotten: whether they may have removed what has changed since a snapshot that was read before.
    ///   - now: in nanoseconds since the start of the machine.
    /// - Returns: whether the plugin is to be told of it at once.
    func recordExtension(_ lease: Lease, wasOver: Bool, wasForgotten: Bool, now: Int64) -> Bool {
        state.withLock { state in
            let isFirst = state.lease == nil
            state.lease = lease
            state.recordEnd(now: now)
            if wasOver, !isFirst, !state.hasEnded { state.lapses += 1 }
            if wasForgotten { state.isStale = true }
            switch state.phase {
            case .awaitingLease:
                state.phase = .awaitingRound
                return false
            case .following:
                if wasOver { state.isStale = true }
                return true
            case .apart, .awaitingRound, .caughtUp: return false
            }
        }
    }

    /// The lease that the plugin is to be told of.
    var lease: Lease { state.withLock { $0.lease } ?? .endless }

    /// How many times devices may have gone to other cells, which then went on without this one, until now.
    ///
    /// - Parameter now: in nanoseconds since the start of the machine.
    func lapses(now: Int64) -> Int {
        state.withLock { state in
            state.recordEnd(now: now)
            return state.lapses
        }
    }
}

/// Until when this cell may let devices hear anything.
struct Lease: Hashable, Sendable {
    /// In nanoseconds since the start of the machine.
    let end: UInt64

    /// Without others nobody waits for this cell, and its devices may as well hear that the store is away.
    static let endless = Lease(end: .max)

    var change: AudienceChange { .lease(until: end) }

    func isOver(now: Int64) -> Bool { end != Lease.endless.end && Int64(clamping: end) <= now }
}
