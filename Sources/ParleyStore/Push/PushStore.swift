/// The one owner of jobs, traces, holds and displays: in a file of their own, or in a database that several gateways
/// share.
///
/// As durable as ``Store``, with a writer of its own, the thread of pushes. A file shares no transaction with the main
/// database: `docs/decisions/0065-push-has-its-own-database.md` has the order of their commits, and
/// `docs/decisions/0074-pushes-by-lease.md` what is different where both are one.
package final class PushStore: Sendable {
    private enum Place {
        case file(Store)
        case shared(any SharedPushes)
    }

    private let place: Place

    /// Opens the database, making or migrating it as needed.
    ///
    /// - Throws: as `Store.init`.
    package convenience init(path: String) throws(StoreError) { try self.init(path: path, trace: nil) }

    /// - Parameter trace: as of `Store.init`.
    init(path: String, trace: (@Sendable (_ sql: String) -> Void)?) throws(StoreError) {
        place = .file(try Store(path: path, migrations: .pushes, trace: trace))
    }

    /// - Parameter main: the database in which they are; `nil` comes back where they have a file of their own.
    package init?(in main: Store) {
        guard let shared = main.pushes else { return nil }
        place = .shared(shared)
    }

    /// Whether other gateways send what is in it, too. Times in it are of the day then, which all of them know.
    package var isShared: Bool {
        switch place {
        case .file: false
        case .shared: true
        }
    }

    /// One transaction: all of `body`, committed and synced when this returns, or nothing of it.
    package func write<Result>(_ body: (PushTransaction) throws -> Result) throws(StoreError) -> Result {
        switch place {
        case .file(let file): try file.write { try body(PushTransaction(database: $0.database)) }
        case .shared(let shared):
            try StoreError.translating { try shared.write { try body(PushTransaction(database: $0, lease: $1)) } }
        }
    }

    /// Reads one state of the database, the last committed before this was called or a later one.
    package func read<Result>(_ body: (PushSnapshot) throws -> Result) throws(StoreError) -> Result {
        switch place {
        case .file(let file): try file.read { try body(PushSnapshot(database: $0.database)) }
        case .shared(let shared):
            try StoreError.translating { try shared.read { try body(PushSnapshot(database: $0)) } }
        }
    }

    /// The same beside a snapshot of the main database: of the same state, where both are one.
    package func read<Result>(
        beside main: Snapshot, _ body: (PushSnapshot) throws -> Result
    ) throws(StoreError) -> Result {
        switch place {
        case .file: try read(body)
        case .shared: try StoreError.translating { try body(PushSnapshot(database: main.database)) }
        }
    }

    /// Writes the log back into the database file and empties it; as `Store.checkpoint`.
    package func checkpoint() throws(StoreError) { if case .file(let file) = place { try file.checkpoint() } }

    /// Of a file; what is shared ends with the main database.
    package func close() throws(StoreError) { if case .file(let file) = place { try file.close() } }
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
    /// `nil` of a file, whose jobs are nobody else's.
    var lease: PushLease?

    package var facts: PushSnapshot { PushSnapshot(database: database) }
    package var plans: PushPlanWrites { PushPlanWrites(database: database, lease: lease) }
    package var jobs: PushJobWrites { PushJobWrites(database: database, lease: lease) }
    package var displays: PushDisplayWrites { PushDisplayWrites(database: database) }
    package var traces: PushTraceWrites { PushTraceWrites(database: database) }
}
