/// The one owner of the database of pushes: jobs, traces, holds and displays.
///
/// As durable as ``Store``, with a writer of its own, the thread of pushes. The two share no transaction:
/// `docs/decisions/0065-push-has-its-own-database.md` has the order of their commits.
package final class PushStore: Sendable {
    private let file: Store

    /// Opens the database, making or migrating it as needed.
    ///
    /// - Throws: as `Store.init`.
    package convenience init(path: String) throws(StoreError) { try self.init(path: path, trace: nil) }

    /// - Parameter trace: as of `Store.init`.
    init(path: String, trace: (@Sendable (_ sql: String) -> Void)?) throws(StoreError) {
        file = try Store(path: path, migrations: .pushes, trace: trace)
    }

    /// One transaction: all of `body`, committed and synced when this returns, or nothing of it.
    package func write<Result>(_ body: (PushTransaction) throws -> Result) throws(StoreError) -> Result {
        try file.write { try body(PushTransaction(database: $0.database)) }
    }

    /// Reads one state of the database, the last committed before this was called or a later one.
    package func read<Result>(_ body: (PushSnapshot) throws -> Result) throws(StoreError) -> Result {
        try file.read { try body(PushSnapshot(database: $0.database)) }
    }

    /// Writes the log back into the database file and empties it; as `Store.checkpoint`.
    package func checkpoint() throws(StoreError) { try file.checkpoint() }

    package func close() throws(StoreError) { try file.close() }
}

/// One consistent state of the database of pushes.
package struct PushSnapshot {
    let database: Database

    package var plans: PushPlanQueries { PushPlanQueries(database: database) }
    package var jobs: PushJobQueries { PushJobQueries(database: database) }
    package var displays: PushDisplayQueries { PushDisplayQueries(database: database) }
    package var traces: PushTraceQueries { PushTraceQueries(database: database) }
}

/// A transaction of the database of pushes.
package struct PushTransaction {
    let database: Database

    package var facts: PushSnapshot { PushSnapshot(database: database) }
    package var plans: PushPlanWrites { PushPlanWrites(database: database) }
    package var jobs: PushJobWrites { PushJobWrites(database: database) }
    package var displays: PushDisplayWrites { PushDisplayWrites(database: database) }
    package var traces: PushTraceWrites { PushTraceWrites(database: database) }
}
