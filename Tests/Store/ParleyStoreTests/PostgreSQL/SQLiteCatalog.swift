import TestSupport

@testable import ParleyStore

/// What SQLite's catalogs say of the schema after the last migration, of the gateway's database and of that of pushes:
/// one line a fact, in words that ``PostgreSQLCatalog`` uses too.
struct SQLiteCatalog {
    /// Tables, columns, keys and references.
    let facts: [String]
    /// The conditions that rows are held to, as they stand in the text of a table.
    let checks: [(table: String, condition: String)]
    /// `CREATE INDEX` of each index that is no constraint's.
    let indexes: [String]

    init() throws {
        let directory = try TemporaryDirectory()
        let stores = [
            try Store(path: directory.database, migrations: .shipped),
            try Store(path: directory.path + "/push.db", migrations: .pushes),
        ]
        func lines(_ query: String) throws -> [String] {
            try stores.flatMap { store in
                // No text of a schema has this character.
                let rows = try store.text("SELECT group_concat(line, '\u{1}') FROM (\(query))")
                return (rows ?? "").split(separator: "\u{1}").map(String.init)
            }
        }
        facts = try Self.queries.flatMap(lines)
        checks = try lines(
            "SELECT name || ' ' || sql AS line FROM sqlite_schema s WHERE type = 'table' AND \(Self.isOurs)"
        )
        .flatMap { line in
            let parts = line.split(separator: " ", maxSplits: 1)
            return Self.conditions(in: String(parts[1])).map { (String(parts[0]), $0) }
        }
        indexes = try lines("SELECT sql AS line FROM sqlite_schema s WHERE type = 'index' AND sql IS NOT NULL")
    }

    private static let isOurs = "s.name NOT LIKE 'grdb%' AND s.name NOT LIKE 'sqlite%'"

    private static func ofTables(_ line: String, _ rest: String) -> String {
        "SELECT \(line) AS line FROM sqlite_schema s \(rest)"
    }

    private static let queries = [
        ofTables("'table ' || s.name", "WHERE s.type = 'table' AND \(isOurs)"),
        ofTables(
            """
            'column ' || s.name || ' ' || (c.cid + 1) || ' ' || c.name || ' '
                || CASE c.type WHEN 'INTEGER' THEN 'bigint' WHEN 'TEXT' THEN 'text by bytes' WHEN 'BLOB' THEN 'bytea'
                    ELSE c.type END
                || CASE WHEN c."notnull" OR c.pk > 0 THEN ' NOT NULL' ELSE '' END
                || coalesce(' DEFAULT ' || c.dflt_value, '')
            """, "JOIN pragma_table_info(s.name) c WHERE s.type = 'table' AND \(isOurs)"),
        ofTables(
            """
            'key ' || s.name || ' ' || (
                SELECT group_concat(name, ', ')
                FROM (SELECT name FROM pragma_table_info(s.name) WHERE pk > 0 ORDER BY pk))
            """, "WHERE s.type = 'table' AND \(isOurs)"),
        ofTables(
            """
            'unique ' || s.name || ' ' || (
                SELECT group_concat(name, ', ') FROM (SELECT name FROM pragma_index_info(i.name) ORDER BY seqno))
            """, "JOIN pragma_index_list(s.name) i WHERE s.type = 'table' AND i.origin = 'u' AND \(isOurs)"),
        ofTables(
            """
            'reference ' || s.name || ' ' || \(referenceColumns("from")) || ' to ' || f."table" || ' '
                || \(referenceColumns("to")) || ' on update ' || f.on_update || ' on delete ' || f.on_delete
            """, "JOIN pragma_foreign_key_list(s.name) f WHERE s.type = 'table' AND f.seq = 0 AND \(isOurs)"),
    ]

    /// The columns of the reference `f` on one side, in its order.
    private static func referenceColumns(_ side: String) -> String {
        """
        (SELECT group_concat(name, ', ') FROM (
            SELECT k."\(side)" AS name FROM pragma_foreign_key_list(s.name) k WHERE k.id = f.id ORDER BY k.seq))
        """
    }

    /// What stands within each `CHECK (…)` of a table's text.
    static func conditions(in text: String) -> [String] {
        text.replacing(/--[^\n]*/, with: "").split(separator: "CHECK (").dropFirst().map { rest in
            var (depth, isQuoted) = (1, false)
            let condition = rest.prefix { character in
                if character == "'" { isQuoted.toggle() }
                if !isQuoted, character == "(" { depth += 1 }
                if !isQuoted, character == ")" { depth -= 1 }
                return depth > 0
            }
            return String(condition).onOneLine
        }
    }
}
