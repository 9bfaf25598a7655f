import TestSupport
@testable import ParleyStore

/// Every statement that the gateway's store runs, and the names of what they run on.
struct RecordedStatements {
    let statements: [String]
    /// Of these, those of the database of pushes.
    let ofPushes: Set<String>
    /// The names of tables and columns.
    let names: [String]
    let tables: [String]

    init() throws {
        let recorder = StatementRecorder()
        let directory = try TemporaryDirectory()
        let store = try Store(path: directory.database, migrations: .shipped, trace: recorder.record)
        recorder.forget()
        let scenario = StoreScenario(store: store)
        try scenario.run()
        let pushRecorder = StatementRecorder()
        let pushes = try PushStore(path: directory.path + "/push.db", trace: pushRecorder.record)
        // What is carried from one to the other is the gateway's at an upgrade alone.
        try pushes.link(to: store, name: "any")
        pushRecorder.forget()
        try scenario.pushes(pushes)
        let own = pushRecorder.statements.filter { !Dialect.isOwn($0) }
        ofPushes = Set(own)
        statements =
            recorder.statements.filter {
                !Dialect.isOwn($0) && !$0.contains(#/^SELECT .* FROM push_(announcements|jobs|holds|shown|traces)$/#)
            } + own
        let ours = "name NOT LIKE 'grdb%' AND name NOT LIKE 'sqlite%' AND sql IS NOT NULL"
        func texts(_ query: String) throws -> [String] {
            try store.read { try $0.texts(query) } + pushes.read { try Snapshot(database: $0.database).texts(query) }
        }
        tables = try texts("SELECT name FROM sqlite_schema WHERE \(ours) AND type = 'table'")
        names = try texts(
            """
            SELECT name FROM sqlite_schema WHERE \(ours) UNION
            SELECT c.name FROM sqlite_schema s JOIN pragma_table_info(s.name) c WHERE s.type = 'table'
            """)
    }
}

extension Snapshot {
    /// The first column of a query's rows, as text.
    fileprivate func texts(_ query: String) throws -> [String] {
        try database.list(query) { String(decoding: $0.bytes(0) ?? [], as: UTF8.self) }
    }
}
