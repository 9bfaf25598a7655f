import ParleyPostgreSQL
import ParleyStore
import PostgreSQL
import PostgreSQLServer
import Synchronization

/// A store that has no neighbours: what a gateway holds back until other cells have heard of it is sent at once.
private struct SoleGateway: StoreEngine {
    let store: PostgreSQLStore

    var cells: (any Cells)? { nil }

    var pushes: (any SharedPushes)? { store.pushes }

    /// Again where others were in the way, as a gateway does: the tests of other databases on the server are, now and
    /// then.
    func write<Result>(_ isolation: Isolation, _ body: (Database) throws -> Result) throws -> Result {
        do { return try store.write(isolation, body) } catch StoreError.conflict {
            return try store.write(.alone, body)
        }
    }

    func read<Result>(_ body: (Database) throws -> Result) throws -> Result { try store.read(body) }

    func checkpoint() { store.checkpoint() }

    func close() { store.close() }
}

/// A database on the server that all tests of the process share.
final class PostgreSQLDatabase: SharedDatabase {
    private let database: TestDatabase
    private let cell: CellName

    /// None where it is not installed.
    static var engines: [TestedEngine] {
        ServerPrograms.areExpected
            ? [TestedEngine(name: "PostgreSQL", isRemote: true) { try PostgreSQLDatabase() }] : []
    }

    /// Databases whose tests are over, emptied. To make one takes ten times as long as to empty one.
    private static let idle = Mutex<[TestDatabase]>([])

    init() throws {
        guard let cell = CellName(PostgreSQLDatabase.cell) else { throw StoreError.unexpected(type: "CellName") }
        self.cell = cell
        database =
            if let used = PostgreSQLDatabase.idle.withLock({ $0.popLast() }) { used } else {
                try PostgreSQLServer.shared().database(like: "gateway", prepare: PostgreSQLDatabase.prepare)
            }
    }

    deinit {
        // One that cannot be emptied is dropped.
        guard (try? PostgreSQLDatabase.empty(database)) != nil else { return }
        PostgreSQLDatabase.idle.withLock { [database] in $0.append(database) }
    }

    func open() throws -> Store {
        let address = try StoreAddress(uri: database.uri)
        return Store(SoleGateway(store: try PostgreSQLStore(address, cell: cell, durability: .waived)))
    }

    func open(cell: String) throws -> Store {
        guard let name = CellName(cell) else { throw StoreError.unexpected(type: "CellName") }
        return Store(try PostgreSQLStore(StoreAddress(uri: database.uri), cell: name, durability: .waived))
    }

    private static let cell = "tested"

    /// Functions of SQLite that tests ask by, beside what the store's own statements use.
    private static let functions = [
        "CREATE FUNCTION zeroblob(integer) RETURNS bytea RETURN decode(repeat('00', $1), 'hex')",
        "CREATE FUNCTION hex(bytea) RETURNS text RETURN upper(encode($1, 'hex'))",
        """
        CREATE FUNCTION joined(text, anyelement) RETURNS text LANGUAGE sql
            AS $$ SELECT coalesce($1 || ',', '') || CAST($2 AS TEXT) $$
        """,
        "CREATE AGGREGATE group_concat(anyelement) (SFUNC = joined, STYPE = text)",
    ]

    /// Makes the tables, and a cell that counts positions from 1, as the gateway of a database file does.
    private static func prepare(_ connection: PostgreSQLConnection) throws {
        try Migrator(connection, of: "the template").run()
        let incarnation = String(repeating: "00", count: 16)
        try connection.execute(
            """
            \(PostgreSQLMigrations.searchPath);
            DELETE FROM publishing; DELETE FROM clock; DELETE FROM push_link;
            INSERT INTO cells (
                cell, name, incarnation, commits, position, audience_position, version, started_at)
            VALUES (0, '\(cell)', '\\x\(incarnation)', 0, 0, 0, \(PostgreSQLMigrations.shipped.version), 0);
            \(functions.joined(separator: ";\n"))
            """)
    }

    /// Leaves it as ``prepare(_:)`` has made it.
    private static func empty(_ database: TestDatabase) throws {
        let connection = try database.connect()
        defer { connection.close() }
        try connection.execute(
            """
            \(PostgreSQLMigrations.searchPath);
            SET lock_timeout TO '5s';
            SET session_replication_role TO replica; -- No key is followed.
            DO $$ DECLARE found record; BEGIN
                FOR found IN SELECT relname, relkind FROM pg_class
                    WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'S')
                        AND relname NOT IN ('schema_version', 'cells', 'link')
                LOOP
                    EXECUTE format(
                        CASE found.relkind WHEN 'r' THEN 'DELETE FROM %I' ELSE 'ALTER SEQUENCE %I RESTART' END,
                        found.relname);
                END LOOP;
            END $$;
            DELETE FROM cells WHERE cell > 0;
            UPDATE cells SET commits = 0, position = 0, audience_position = 0
            """)
    }
}
