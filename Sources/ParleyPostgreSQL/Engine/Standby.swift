import ParleyStore
import Platform
import PostgreSQL
import Synchronization

/// A server that follows the primary, and answers reads for which it has come far enough.
///
/// How far that is, the rows of the cells tell: each transaction counts in its cell's. Whoever read them on the primary
/// and finds none of them behind in a snapshot of the standby misses nothing there that any cell had committed by then.
final class Standby: Sendable {
    private let sessions: SessionPool
    private let rest = Mutex(Rest())

    /// When it is tried again, and why not now.
    private struct Rest {
        var until: ContinuousClock.Instant?
        var isLost = false
        var afterLoss = Backoff(first: .seconds(1), longest: .seconds(30))
    }

    /// Where it cannot answer in so long, the primary does better.
    private static let timeLimit = Duration.seconds(2)
    /// From one look to the next, while it is a moment behind. It mostly is, under load: what was committed last is on
    /// its way to it.
    private static let pauses: [Duration?] = [.milliseconds(1), .milliseconds(2), .milliseconds(4), nil]
    private static let restAfterLag = Duration.milliseconds(100)

    init(_ address: StoreAddress) {
        var settings = address.settings
        settings.connectLimit = min(settings.connectLimit, Standby.timeLimit)
        sessions = SessionPool(
            settings, for: .reading, count: Store.readers, timeLimit: Standby.timeLimit)
    }

    /// Checks that it lets this program in, if it is there.
    func check() throws(PostgreSQLError) {
        do throws(PostgreSQLError) { try sessions.connect() } catch {
            guard !error.isRefusalToConnect else { throw error }
        }
    }

    /// Whether it was not found wanting a moment ago.
    var isDue: Bool { rest.withLock { $0.until.map { $0 <= .now } ?? true } }

    /// Whether it could not be read when it was last tried.
    var isLost: Bool { rest.withLock { $0.isLost } }

    enum Outcome<Result> {
        case read(Result)
        case lags
        case isLost
    }

    /// Reads a snapshot that has everything of `progress`.
    ///
    /// - Parameter body: is begun again elsewhere where this gives no result.
    func read<Result>(_ progress: CellProgress, _ body: (Session) throws -> Result) -> Outcome<Result> {
        do {
            let result = try sessions.withSession { session -> Result? in
                do {
                    guard try begin(progress, session) else { return nil }
                    let result = try body(session)
                    try session.connection.send("COMMIT")
                    try session.connection.sync()
                    return result
                } catch {
                    session.rollBack()
                    throw error
                }
            }
            recordAnswer(lags: result == nil)
            return result.map { .read($0) } ?? .lags
        } catch {
            // What it was to replay next was in the way of the snapshot, which it gave up.
            if case .conflict = StoreError(anything: error) {
                recordAnswer(lags: true)
                return .lags
            }
            rest.withLock { rest in
                rest.isLost = true
                rest.until = .now + rest.afterLoss.next()
            }
            return .isLost
        }
    }

    private func recordAnswer(lags: Bool) {
        rest.withLock { rest in
            rest.afterLoss.reset()
            rest.isLost = false
            rest.until = lags ? .now + Standby.restAfterLag : nil
        }
    }

    /// - Returns: whether a snapshot is open that has everything.
    private func begin(_ progress: CellProgress, _ session: Session) throws -> Bool {
        for pause in Standby.pauses {
            try session.connection.send("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
            if CellProgress(try session.connection.query(CellProgress.statement)).covers(progress) { return true }
            try session.connection.send("ROLLBACK")
            try session.connection.sync()
            guard let pause else { break }
            var nothing: [WatchedDescriptor] = []
            _ = try waitForEvents(&nothing, timeout: pause)
        }
        return false
    }

    func close() { sessions.close() }
}

/// How many transactions each cell has committed, as a snapshot has it.
struct CellProgress {
    static let statement = "SELECT cell, incarnation, commits FROM cells"

    private let cells: [Int: (incarnation: [UInt8], commits: Int)]

    /// - Parameter rows: those of ``statement``.
    init(_ rows: PostgreSQLRows) {
        var cells: [Int: (incarnation: [UInt8], commits: Int)] = [:]
        for row in 0..<rows.count {
            guard let cell = rows.integer(row, 0), let incarnation = rows.bytes(row, 1),
                let commits = rows.integer(row, 2)
            else { continue }
            cells[cell] = (incarnation, commits)
        }
        self.cells = cells
    }

    /// Whether it has everything that the other one has. Counts of two processes of a cell cannot be compared.
    func covers(_ other: CellProgress) -> Bool {
        other.cells.allSatisfy { cell, there in
            guard let here = cells[cell] else { return false }
            return here.incarnation == there.incarnation && here.commits >= there.commits
        }
    }
}
