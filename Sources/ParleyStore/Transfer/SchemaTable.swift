/// A table as the engine's own catalog describes it.
struct SchemaTable: Hashable {
    let name: String
    /// In the order of the table.
    var columns: [Column] = []
    /// The tables that its rows refer to.
    var references: Set<String> = []

    struct Column: Hashable {
        let name: String
        /// Whether a row cannot be written without a value for it.
        let isRequired: Bool
        /// From 1 on in the primary key; 0 outside of it.
        let keyPlace: Int
        /// Whether the engine gives it out by a sequence of its own.
        let isGenerated: Bool
    }

    /// The columns of the primary key, in its order.
    var key: [Column] { columns.filter { $0.keyPlace > 0 }.sorted { $0.keyPlace < $1.keyPlace } }
}

extension Database {
    /// The tables of the schema, by name.
    func schemaTables() throws(StoreError) -> [String: SchemaTable] {
        var tables: [String: SchemaTable] = [:]
        let (columns, references) =
            switch engine {
            case .sqlite: (SchemaTable.columnsInSQLite, SchemaTable.referencesInSQLite)
            case .remote, .recorder: (SchemaTable.columnsInPostgreSQL, SchemaTable.referencesInPostgreSQL)
            }
        try each(columns) { row in
            let column = SchemaTable.Column(
                name: row[1], isRequired: row[2], keyPlace: row[3], isGenerated: row[4])
            tables[row[0], default: SchemaTable(name: row[0])].columns.append(column)
        }
        try each(references) { row in tables[row[0]]?.references.insert(row[1]) }
        return tables
    }
}

extension SchemaTable {
    private static let ownInSQLite = """
        s.type = 'table' AND s.name NOT LIKE 'grdb%' AND s.name NOT LIKE 'sqlite%'
        """

    fileprivate static let columnsInSQLite = """
        SELECT s.name, c.name, (c."notnull" OR c.pk > 0) AND c.dflt_value IS NULL, c.pk, 0
        FROM sqlite_schema s JOIN pragma_table_info(s.name) c WHERE \(ownInSQLite) ORDER BY s.name, c.cid
        """

    fileprivate static let referencesInSQLite = """
        SELECT s.name, f."table" FROM sqlite_schema s JOIN pragma_foreign_key_list(s.name) f WHERE \(ownInSQLite)
        """

    private static let ownInPostgreSQL = """
        t.relkind = 'r' AND t.relnamespace = (
            SELECT n.oid FROM pg_catalog.pg_namespace n WHERE n.nspname = current_schema())
        """

    fileprivate static let columnsInPostgreSQL = """
        SELECT t.relname, a.attname, a.attnotnull AND NOT a.atthasdef AND a.attidentity = '',
            coalesce(array_position(k.conkey, a.attnum), 0), a.attidentity <> ''
        FROM pg_catalog.pg_class t
        JOIN pg_catalog.pg_attribute a ON a.attrelid = t.oid AND a.attnum > 0 AND NOT a.attisdropped
        LEFT JOIN pg_catalog.pg_constraint k ON k.conrelid = t.oid AND k.contype = 'p'
        WHERE \(ownInPostgreSQL) ORDER BY t.relname, a.attnum
        """

    fileprivate static let referencesInPostgreSQL = """
        SELECT t.relname, r.relname FROM pg_catalog.pg_constraint f
        JOIN pg_catalog.pg_class t ON t.oid = f.conrelid JOIN pg_catalog.pg_class r ON r.oid = f.confrelid
        WHERE f.contype = 'f' AND \(ownInPostgreSQL)
        """
}
