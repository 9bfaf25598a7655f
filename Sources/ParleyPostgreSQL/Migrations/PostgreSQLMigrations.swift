/// The history of the schema in PostgreSQL, in order. A new step is a new file and a name in `shipped`.
///
/// A value without a connection: whoever has one compares it with what `schema_version` says, and takes the steps.
package struct PostgreSQLMigrations: Sendable {
    package static let shipped = PostgreSQLMigrations(steps: [.c001, .c002, .c003, .c004, .c005, .c006, .c007, .c008])

    /// The schema that holds all tables of a gateway. A schema of this name without a `schema_version` that has rows
    /// is another program's, unless it is empty.
    package static let schema = "parley"

    /// What is said once, before the first migration and in its transaction, where there is no such schema.
    ///
    /// It is not `IF NOT EXISTS`: PostgreSQL asks for the right to make schemas even if there is nothing to make, and
    /// an administrator may have made an empty one for a user without that right.
    package static let creation = "CREATE SCHEMA \(schema)"
    /// What each connection says first: statements name tables without their schema. Nothing is looked up in `public`,
    /// where others may have put tables and functions of the same names.
    package static let searchPath = "SET search_path TO \(schema)"

    package let steps: [Migration]

    /// The version of the schema after all steps.
    package var version: Int { steps.last?.version ?? 0 }

    /// The steps that a schema of a version lacks.
    package func steps(after version: Int) -> [Migration] { steps.filter { $0.version > version } }
}
