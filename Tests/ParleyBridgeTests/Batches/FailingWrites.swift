import GRDB
import Synchronization

@testable import ParleyStore

/// Makes a change of a row fail that is told by its number, in whatever statement it is.
///
/// The database does it itself: triggers on every table ask a function before each row that changes.
final class FailingWrites: Sendable {
    private struct State {
        var count = 0
        var failing: Set<Int> = []
    }

    private let state = Mutex(State())

    struct Planned: Error {}

    /// - Parameter store: whose writing connection fails from now on where it is told to.
    init(in store: Store) throws {
        try store.write { transaction in
            let database = transaction.database
            database.add(
                function: DatabaseFunction("planned_failure", argumentCount: 0) { [self] _ in
                    try count()
                    return 0
                })
            let tables = try String.fetchAll(
                database, sql: "SELECT name FROM main.sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%'")
            for table in tables {
                for event in ["INSERT", "UPDATE", "DELETE"] {
                    try database.execute(
                        sql: """
                            CREATE TEMP TRIGGER fail_\(event)_\(table) BEFORE \(event) ON main.\(table)
                            BEGIN SELECT planned_failure(); END
                            """)
                }
            }
        }
    }

    private func count() throws {
        let fails = state.withLock { state in
            state.count += 1
            return state.failing.contains(state.count)
        }
        if fails { throw Planned() }
    }

    /// Counts anew from one; these changes of rows fail.
    func plan(_ failing: Set<Int>) { state.withLock { $0 = State(failing: failing) } }

    /// How many rows were to be changed since.
    var changes: Int { state.withLock(\.count) }
}
