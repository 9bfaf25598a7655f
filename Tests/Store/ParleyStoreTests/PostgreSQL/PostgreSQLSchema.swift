import ParleyPostgreSQL

/// The schema of the migrations for PostgreSQL, as a session of ``PostgreSQL`` takes it.
enum PostgreSQLSchema {
    /// The statements that make it and look into it from then on, each on one line.
    static let statements = statements(in: PostgreSQLMigrations.schema)

    /// - Parameter edit: changes a statement, for a schema that is not the shipped one.
    static func statements(in schema: String, edit: (String) -> String = { $0 }) -> [String] {
        let steps = PostgreSQLMigrations.shipped.steps.flatMap(\.statements)
        let first = [PostgreSQLMigrations.creation, PostgreSQLMigrations.searchPath].map {
            $0.replacing(PostgreSQLMigrations.schema, with: schema)
        }
        return first + steps.map { edit($0.replacing(/--[^\n]*/, with: "").onOneLine) }
    }
}
