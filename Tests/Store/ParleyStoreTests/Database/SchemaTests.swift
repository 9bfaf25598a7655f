import ParleyProtocol
import TestNames
import TestedStores
import Testing

@testable import ParleyStore

@Suite("The schema", .onSQLite(.schema))
final class SchemaTests: StoreSuite {
    @Test("every table is strict")
    func everyTableIsStrict() throws {
        let loose = try store.text(
            """
            SELECT group_concat(name) FROM pragma_table_list
            WHERE type = 'table' AND schema = 'main' AND NOT strict AND name NOT IN ('sqlite_schema', 'grdb_migrations')
            """)
        #expect(loose == nil)
        // Not because there are none.
        let made = "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
        #expect(
            try store.text(
                """
                SELECT count(*) + 1 = (\(made)) AND count(*) > 20 FROM pragma_table_list
                WHERE type = 'table' AND strict AND schema = 'main'
                """) == "1")
    }

    @Test(
        "a constraint refuses what must not be, and takes what may",
        arguments: first + later + groups + challenges + engines)
    func constraint(_ statement: Statement) throws { try expect(statement, after: []) }

    @Test("and so it is where there is a group", arguments: inGroups)
    func constraintInGroups(_ statement: Statement) throws { try expect(statement, after: [Self.aGroup]) }

    @Test("and so it is where there are workouts and boards", arguments: workouts + onBoards)
    func constraintOnBoards(_ statement: Statement) throws { try expect(statement, after: Self.withBoards) }

    private func expect(_ statement: Statement, after before: [String]) throws {
        try store.write { try $0.insertPeople(["alice", "bob"]) }
        try store.execute(
            """
            INSERT INTO conversations (key, id, type, created_by, created_at, updated_at, epoch)
            VALUES (1, \(Self.id), 'group', 'alice', 0, 0, 'e')
            """)
        try store.execute("INSERT INTO members (conversation, user, role, joined_at) VALUES (1, 'alice', 'admin', 0)")
        try store.execute(Self.record(position: 1, seq: 1, id: Self.id))
        try store.execute("INSERT INTO outbox (position, topic, payload, retain) VALUES (9, x'00', x'00', 0)")
        for statement in before { try store.execute(statement) }
        let error = #expect(throws: StoreError.self) { try store.execute(statement.refused) }
        #expect(error?.description.contains(statement.constraint) == true, "\(error?.description ?? "")")
        try store.execute(statement.accepted)
    }
}
