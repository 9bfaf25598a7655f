import ParleyProtocol
import TestNames

@testable import ParleyStore

/// Makes a change of a row by the store's writing connection fail that is told by its number.
///
/// The database does it itself: triggers on every table ask before each row that changes. A change's number is how many
/// there were before it, which no rollback takes back.
struct FailingWrites {
    private let store: Store

    /// - Parameter store: whose writing connection fails from now on where it is told to.
    init(in store: Store) throws {
        self.store = store
        try execute("CREATE TEMP TABLE failing (number INTEGER PRIMARY KEY)")
        try execute("CREATE TEMP TABLE begun (number INTEGER PRIMARY KEY)")
        try execute("CREATE TEMP TABLE start (number INTEGER NOT NULL)")
        try execute("INSERT INTO temp.start VALUES (0)")
        for table in try FailingWrites.tables(of: store) {
            for event in ["INSERT", "UPDATE", "DELETE"] {
                try execute(
                    """
                    CREATE TEMP TRIGGER fail_\(event)_\(table) BEFORE \(event) ON main.\(table) BEGIN
                        INSERT OR IGNORE INTO begun SELECT total_changes() - number FROM start;
                        SELECT RAISE (FAIL, 'planned')
                            WHERE (SELECT max(number) FROM begun) IN (SELECT number FROM failing);
                    END
                    """)
            }
        }
    }

    static func tables(of store: Store) throws -> [String] {
        try store.read { snapshot in
            let names = try snapshot.database.row(
                "SELECT group_concat(name) FROM main.sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%'")
            return (names?.bytes(0)).map { String(decoding: $0, as: UTF8.self).split(separator: ",").map(String.init) }
                ?? []
        }
    }

    /// Counts anew from zero; the changes with these numbers fail.
    func plan(_ failing: Set<Int>) throws {
        try execute("DELETE FROM temp.failing")
        for number in failing { try execute("INSERT INTO temp.failing VALUES (\(number))") }
        try execute("DELETE FROM temp.begun")
        // This update is the last change before the count.
        try execute("UPDATE temp.start SET number = total_changes() + 1")
    }

    /// The numbers of the changes since, of committed transactions.
    func begun() throws -> [Int] {
        try store.write { transaction in
            let list = try transaction.database.row("SELECT group_concat(number) FROM temp.begun")?.bytes(0) ?? []
            return String(decoding: list, as: UTF8.self).split(separator: ",").compactMap { Int($0) }
        }
    }

    private func execute(_ sql: String) throws { try store.write { try $0.database.run(sql) } }
}
