import ParleyStore
import Platform
import PostgreSQL
import Sodium

/// The gateway's database in PostgreSQL: one connection that writes, as this cell, and a few that read beside it, some
/// of them perhaps on a standby.
///
/// A transaction is as durable as the server makes it: see `docs/scaling.md`.
package final class PostgreSQLStore: StoreEngine {
    private let cell: ClaimedCell
    private let neighbours: Neighbours
    private let writer: SessionPool
    private let readers: SessionPool
    private let standby: Standby?
    private let pushWriter: PushWriter
    /// Called when this process must end; see `StoreError.endsProcess`.
    private let onEnd: @Sendable (StoreError) -> Void

    /// Connects, brings the schema up to date, and takes over the cell.
    ///
    /// - Parameters:
    ///   - standby: where reads go for which it has come far enough. It may be away.
    ///   - takesUnfinished: whether a database that is copied to by half will do.
    /// - Throws: `.unavailable` where trying again may help; `.unusable`, `.notDurable` where it does not.
    package init(
        _ address: StoreAddress, cell name: CellName, durability: DurabilityDemand = .demanded,
        standby: StoreAddress? = nil, takesUnfinished: Bool = false,
        onEnd: @escaping @Sendable (StoreError) -> Void = { _ in }
    ) throws(StoreError) {
        let settings = address.settings
        let writer = SessionPool(settings, count: 1)
        self.writer = writer
        readers = SessionPool(settings, for: .reading, count: Store.readers + 2)
        self.onEnd = onEnd
        self.standby = standby.map(Standby.init)
        do { try self.standby?.check() } catch {
            throw StoreError(starting: error, on: standby?.description ?? "the standby")
        }
        do {
            cell = try writer.withSession { session in
                try ServerCheck.run(session.connection, durability)
                return try Migrator(session.connection, of: settings.description).run {
                    if !takesUnfinished {
                        try PostgreSQLStore.checkIsFinished(session.connection, of: settings.description)
                    }
                    let incarnation = try RandomBytes.make(count: 16)
                    return try ClaimedCell(name, incarnation: incarnation, session.connection)
                }
            }
            neighbours = try Neighbours(cell, settings, onEnd: onEnd)
            pushWriter = PushWriter(cell, settings, onEnd: onEnd)
        } catch { throw StoreError(starting: error, on: settings.description) }
    }

    package var cells: (any Cells)? { neighbours }

    package var pushes: (any SharedPushes)? { pushWriter }

    package func write<Result>(_ isolation: Isolation, _ body: (Database) throws -> Result) throws -> Result {
        do {
            return try writer.withSession { session in try transaction(session, isolation, body) }
        } catch {
            let failure = StoreError(anything: error)
            if failure.endsProcess { onEnd(failure) }
            throw failure
        }
    }

    private func transaction<Result>(
        _ session: Session, _ isolation: Isolation, _ body: (Database) throws -> Result
    ) throws -> Result {
        let (connection, count) = (session.connection, cell.nextCount)
        let (result, transaction): (Result, OpenTransaction)
        do {
            // Leaves with the first query.
            for statement in isolation.begin { try connection.send(statement) }
            transaction = OpenTransaction(session, cell, locksCell: true, told: cell.toldBefore)
            result = try body(Database(transaction, cell.stream, locksRows: true))
            try transaction.lockCell()
        } catch {
            session.rollBack()
            throw error
        }
        do throws(PostgreSQLError) {
            let last = cell.lastStatements(count, transaction, ringsDoorbell: neighbours.hasNeighbours)
            if let dependencies = try connection.query(all: last).last { neighbours.record(dependencies) }
        } catch {
            guard error.leavesOutcomeOpen else {
                session.rollBack()
                throw error
            }
            guard let dependencies = try outcome(of: count, after: error) else { throw error }
            neighbours.record(dependencies)
        }
        cell.recordCommit(count, through: transaction.streamEnd)
        return result
    }

    /// How long the server may be away while a transaction's outcome is open.
    private static let outcomeLimit = Duration.seconds(10)

    /// Asks on other connections, until one of them knows.
    private func outcome(of count: Int, after error: PostgreSQLError) throws -> PostgreSQLRows? {
        let deadline = ContinuousClock.now + PostgreSQLStore.outcomeLimit
        var pauses = Backoff(first: .milliseconds(20), longest: .seconds(1))
        while true {
            do {
                return try readers.withSession { try cell.outcome(of: count, $0.connection) }
            } catch let failure as PostgreSQLError {
                guard ContinuousClock.now < deadline else {
                    throw StoreError.outcomeUnknown(message: "\(error); then \(failure)")
                }
                var nothing: [WatchedDescriptor] = []
                _ = try waitForEvents(&nothing, timeout: pauses.next())
            }
        }
    }

    package func readAnywhere<Result>(
        _ report: (ReadServer) -> Void, _ body: (Database) throws -> Result
    ) throws -> Result {
        guard let standby else {
            report(.primary)
            return try read(body)
        }
        guard standby.isDue else {
            report(standby.isLost ? .primaryForLostStandby : .primaryForLaggingStandby)
            return try read(body)
        }
        let told = cell.toldBefore
        let progress: CellProgress
        do {
            progress = try readers.withSession { CellProgress(try $0.connection.query(CellProgress.statement)) }
        } catch { throw StoreError(anything: error) }
        let outcome = standby.read(progress) { session in
            let transaction = OpenTransaction(session, cell, locksCell: false, told: told)
            return try body(Database(transaction, cell.stream, locksRows: false))
        }
        switch outcome {
        case .read(let result):
            report(.standby)
            return result
        case .lags: report(.primaryForLaggingStandby)
        case .isLost: report(.primaryForLostStandby)
        }
        return try read(body)
    }

    package func read<Result>(_ body: (Database) throws -> Result) throws -> Result {
        try readers.read(as: cell, body)
    }

    /// PostgreSQL overwrites nothing, and checkpoints by itself.
    package func checkpoint() {}

    package func close() {
        writer.close()
        readers.close()
        standby?.close()
        pushWriter.close()
        neighbours.close()
    }
}

extension Isolation {
    fileprivate var begin: [String] {
        switch self {
        case .byConversation: ["BEGIN ISOLATION LEVEL READ COMMITTED"]
        // Every transaction that writes locks the row of its cell, so it waits for one that is alone. Before the first
        // query: its snapshot is to hold what those had committed that it has waited for.
        case .serializable: ["BEGIN ISOLATION LEVEL SERIALIZABLE", "LOCK TABLE cells IN ROW SHARE MODE"]
        // Nobody is beside it. SERIALIZABLE fails though it need not, again and again, while a transaction of somebody
        // else on the server stays open, in whatever database.
        case .alone: ["BEGIN ISOLATION LEVEL REPEATABLE READ", "LOCK TABLE cells IN EXCLUSIVE MODE"]
        }
    }
}
