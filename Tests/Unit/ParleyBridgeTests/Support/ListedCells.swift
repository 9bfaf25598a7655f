import ParleyProtocol
import Synchronization

@testable import ParleyStore

/// Cells that a test lists: this one is 1, and the others are what the test says.
final class ListedCells: Cells {
    private let state = Mutex<[Int: Set<UserID>]>([:])

    /// Who is connected to which cell, as it is stored.
    var connections: [Int: Set<UserID>] {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }

    let own = 1
    let name = "one"
    let dependencies = StreamVector()
    let committed = StreamPosition.start
    let time = Timestamp(milliseconds: 0)
    let leaseTime: Duration
    let hasNeighbours: Bool
    let hasOthers = true
    private let extending: @Sendable () -> Void

    /// - Parameters:
    ///   - hasNeighbours: whether another is live.
    ///   - extending: called when the lease is extended, before the answer.
    init(
        hasNeighbours: Bool = true, leaseTime: Duration = .seconds(3), extending: @escaping @Sendable () -> Void = {}
    ) {
        self.hasNeighbours = hasNeighbours
        self.leaseTime = leaseTime
        self.extending = extending
    }

    func states(in snapshot: Snapshot) -> [CellState] { [] }

    func audienceChanges(
        in snapshot: Snapshot, after position: StreamPosition
    ) -> [(position: StreamPosition, change: [UInt8])] { [] }

    func removeAudienceChanges(through position: StreamPosition) {}
    func ownMarks(in snapshot: Snapshot) -> [CellMark] { [] }
    func save(_ marks: [CellMark], tells: Bool) {}
    func lockEra(in transaction: WriteTransaction) -> String? { nil }
    func setEra(_ era: String, in transaction: WriteTransaction) {}
    func endOthers(in transaction: WriteTransaction) {}
    func share(_ spendings: [RateSpending]) -> [RateSpending] { spendings }
    func beginSteadyTime() -> Timestamp { time }
    func shareSteadyTime(_ steady: Timestamp) -> Timestamp { steady }

    func sessions(in snapshot: Snapshot) -> [UserID] { Array(connections[own] ?? []) }

    func connected(among users: [UserID], elsewhere: Bool, in snapshot: Snapshot) -> Set<UserID> {
        let others = connections.filter { !elsewhere || $0.key != own }.values
        return Set(users).intersection(others.reduce(into: Set<UserID>()) { $0.formUnion($1) })
    }

    func storeSessions(arrived: [UserID], left: [UserID], in transaction: WriteTransaction) {
        connections[own, default: []].formUnion(arrived)
        connections[own, default: []].subtract(left)
    }

    func removeLostSessions(limit: Int, in transaction: WriteTransaction) -> [UserID] { [] }

    func extendLease() -> LeaseExtension {
        extending()
        return LeaseExtension(wasOver: false, wasForgotten: false, serverTime: time)
    }

    func signal(_ signal: CellSignal) {}
    func sendSignals() {}
    func wait(for time: Duration) -> [CellSignal] { [] }
    func wake() {}
}

/// A database file that is one of several cells'.
struct SharedFile: StoreEngine {
    let file: SQLiteFile
    let listed: ListedCells

    var cells: (any Cells)? { listed }
    var pushes: (any SharedPushes)? { nil }

    func write<Result>(_ isolation: Isolation, _ body: (Database) throws -> Result) throws -> Result {
        try file.write(isolation, body)
    }

    func read<Result>(_ body: (Database) throws -> Result) throws -> Result { try file.read(body) }

    func checkpoint() throws { try file.checkpoint() }

    func close() throws { try file.close() }
}
