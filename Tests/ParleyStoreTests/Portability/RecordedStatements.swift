import TestSupport
@testable import ParleyStore

/// Every statement that the gateway's store runs, and the schema that they run on, as SQLite keeps it.
struct RecordedStatements {
    let statements: [String]
    let schema: [String]
    /// The names of tables and columns.
    let names: [String]
    let tables: [String]

    init() throws {
        let recorder = StatementRecorder()
        let directory = try TemporaryDirectory()
        let store = try Store(path: directory.database, migrations: .shipped, trace: recorder.record)
        recorder.forget()
        try StoreScenario(store: store).run()
        statements = recorder.statements.filter { !Dialect.isOwn($0) }
        let ours = "name NOT LIKE 'grdb%' AND name NOT LIKE 'sqlite%' AND sql IS NOT NULL"
        tables = try store.texts("SELECT name FROM sqlite_schema WHERE \(ours) AND type = 'table'")
        schema = try store.texts("SELECT sql FROM sqlite_schema WHERE \(ours) ORDER BY rowid")
        names = try store.texts(
            """
            SELECT name FROM sqlite_schema WHERE \(ours) UNION
            SELECT c.name FROM sqlite_schema s JOIN pragma_table_info(s.name) c WHERE s.type = 'table'
            """)
    }
}

extension Store {
    /// The first column of a query's rows, as text.
    fileprivate func texts(_ query: String) throws -> [String] {
        try read { snapshot throws in
            let rows = try snapshot.database.rows(query)
            var texts: [String] = []
            while let row = try rows.next() { texts.append(String(decoding: row.bytes(0) ?? [], as: UTF8.self)) }
            return texts
        }
    }
}
