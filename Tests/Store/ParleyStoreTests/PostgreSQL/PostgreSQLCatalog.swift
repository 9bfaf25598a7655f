import Foundation
import TestedStores

/// What PostgreSQL's catalogs say of a schema, beside what SQLite's say of its own.
///
/// The two engines keep conditions in different words. So PostgreSQL is given SQLite's checks and indexes, too, under
/// names of their own, and asked for all of them.
struct PostgreSQLCatalog {
    /// In the words of ``SQLiteCatalog``.
    let facts: [String]
    /// Keys that PostgreSQL gives out.
    let identities: [String]
    /// Names of constraints and indexes that PostgreSQL has chosen by their order, or cut.
    let chanceNames: [String]
    /// Checks and indexes as PostgreSQL has them: those of the schema itself, and SQLite's in the same words.
    let own: [String], sqlites: [String]

    /// - Parameter values: what a session gave that ran the `statements` in the schema.
    init(_ values: [String], of schema: String) {
        func lines(_ kind: String) -> [String] {
            let start = "\(schema): \(kind) "
            return values.filter { $0.hasPrefix(start) }.map { String($0.dropFirst(start.count)) }
        }
        facts = lines("fact")
        (identities, chanceNames) = (lines("identity"), lines("chance"))
        (own, sqlites) = (lines("own"), lines("sqlite"))
    }

    /// What a session runs in the schema that it looks into: each gives lines for ``init(_:of:)``.
    static func statements(beside sqlite: SQLiteCatalog) -> [String] {
        let checks = sqlite.checks.enumerated().map { number, check in
            "ALTER TABLE \(check.table) ADD CONSTRAINT sqlite_\(number) CHECK (\(check.condition))"
        }
        let indexes = sqlite.indexes.map {
            $0.quotingUser.replacing("CREATE INDEX ", with: "CREATE INDEX sqlite_")
        }
        return queries + (checks + indexes).map(\.onOneLine) + conditions
    }

    private static func query(_ kind: String, _ line: String, _ rest: String) -> String {
        "SELECT current_schema() || ': \(kind) ' || \(line) FROM \(rest)".onOneLine
    }

    private static let tables =
        "pg_class t WHERE t.relkind = 'r' AND t.relnamespace = current_schema()::regnamespace"

    private static let columns = """
        pg_attribute a JOIN pg_class t ON t.oid = a.attrelid AND t.relkind = 'r'
            AND t.relnamespace = current_schema()::regnamespace
        LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
        WHERE a.attnum > 0 AND NOT a.attisdropped
        """

    private static func constraints(_ type: String) -> String {
        """
        pg_constraint c JOIN pg_class t ON t.oid = c.conrelid
        WHERE c.connamespace = current_schema()::regnamespace AND c.contype = '\(type)'
        """
    }

    /// The names of columns of a table by their numbers.
    private static func names(_ numbers: String, of table: String) -> String {
        """
        (SELECT string_agg(a.attname, ', ' ORDER BY n.place)
            FROM unnest(\(numbers)) WITH ORDINALITY AS n (number, place)
            JOIN pg_attribute a ON a.attnum = n.number AND a.attrelid = \(table))
        """
    }

    private static func action(_ column: String) -> String {
        """
        CASE \(column) WHEN 'a' THEN 'NO ACTION' WHEN 'r' THEN 'RESTRICT' WHEN 'c' THEN 'CASCADE'
            WHEN 'n' THEN 'SET NULL' WHEN 'd' THEN 'SET DEFAULT' END
        """
    }

    private static let queries = [
        query("fact", "'table ' || t.relname", tables),
        query(
            "fact",
            """
            'column ' || t.relname || ' ' || a.attnum || ' ' || a.attname || ' ' || format_type(a.atttypid, a.atttypmod)
                || CASE WHEN a.attcollation = '"C"'::regcollation THEN ' by bytes' ELSE '' END
                || CASE WHEN a.attnotnull THEN ' NOT NULL' ELSE '' END
                || coalesce(' DEFAULT ' || replace(pg_get_expr(d.adbin, d.adrelid), '::text', ''), '')
            """, columns),
        query("identity", "t.relname || '.' || a.attname", columns + " AND a.attidentity = 'd'"),
        query("fact", "'key ' || t.relname || ' ' || \(names("c.conkey", of: "c.conrelid"))", constraints("p")),
        query("fact", "'unique ' || t.relname || ' ' || \(names("c.conkey", of: "c.conrelid"))", constraints("u")),
        query(
            "fact",
            """
            'reference ' || t.relname || ' ' || \(names("c.conkey", of: "c.conrelid")) || ' to '
                || (SELECT relname FROM pg_class WHERE oid = c.confrelid) || ' '
                || \(names("c.confkey", of: "c.confrelid")) || ' on update ' || \(action("c.confupdtype"))
                || ' on delete ' || \(action("c.confdeltype"))
            """, constraints("f")),
        query(
            "chance", "c.conname",
            """
            pg_constraint c JOIN pg_class t ON t.oid = c.conrelid WHERE c.connamespace = current_schema()::regnamespace
            AND (c.conname ~ '[0-9]$' OR c.conname = t.relname || '_check' OR length(c.conname) >= 63)
            """),
    ]

    /// Which of both it is follows from the name.
    private static func kind(_ name: String) -> String {
        "CASE WHEN \(name) LIKE 'sqlite%' THEN 'sqlite ' ELSE 'own ' END"
    }

    private static let conditions = [
        """
        SELECT current_schema() || ': ' || \(kind("c.conname")) || t.relname || ' ' || pg_get_constraintdef(c.oid)
        FROM \(constraints("c"))
        """,
        """
        SELECT current_schema() || ': ' || \(kind("i.relname"))
            || replace(replace(pg_get_indexdef(x.indexrelid), current_schema() || '.', ''), 'sqlite_', '')
        FROM pg_index x JOIN pg_class i ON i.oid = x.indexrelid
        WHERE i.relnamespace = current_schema()::regnamespace
            AND NOT EXISTS (SELECT 1 FROM pg_constraint c WHERE c.conindid = x.indexrelid)
        """,
    ].map(\.onOneLine)
}
