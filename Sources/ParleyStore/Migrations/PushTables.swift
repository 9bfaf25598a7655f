/// The tables in which a main database carries the content of a database of pushes: in a backup, from before that
/// database existed, and in a copy of one that several gateways shared.
enum PushTables {
    private struct Table {
        /// In the main database.
        let carried: String
        /// In that of pushes.
        let own: String
        /// With the same name in both.
        let columns: String
        /// The last column, if its names differ.
        var renamed: (carried: String, own: String)?
        /// In which they come: those of a device stand in line so.
        var order = ""

        var carriedColumns: String { columns + (renamed.map { ", \($0.carried)" } ?? "") }
        var ownColumns: String { columns + (renamed.map { ", \($0.own)" } ?? "") }
    }

    private static let jobs = Table(
        carried: "push_jobs", own: "jobs",
        columns: """
            id, "user", device, position, registration, provider, type, conversation, seq, notification, message,
            is_urgent, created_at, deadline, due_at, is_under_way, attempts, repeats
            """, renamed: ("stands_aside", "is_bypassed"), order: " ORDER BY position")

    /// What is not published of decisions. Only a copy carries it.
    private static let announcements = Table(
        carried: "push_announcements", own: "announcements",
        columns: #"id, "user", kind, position, conversation, seq, created_at"#)

    private static let others = [
        Table(carried: "push_holds", own: "holds", columns: #""user", until"#),
        Table(carried: "push_shown", own: "displayed", columns: #""user", conversation, seq"#),
        Table(
            carried: "push_traces", own: "traces",
            columns: """
                id, message, "user", device, provider, type, decision, decided_at, sent_at, attempts, repeats, answered_at,
                answer, disappears_at
                """),
    ]

    private static let all = [jobs, announcements] + others

    /// Where a database of pushes has what a main one carries in a table.
    ///
    /// - Parameter columns: of the table of the main database.
    /// - Returns: `nil` for a table that carries nothing.
    static func own(ofCarried name: String, _ columns: [String]) -> (name: String, columns: String)? {
        guard let table = all.first(where: { $0.carried == name }) else { return nil }
        let names = columns.map { #""\#($0 == table.renamed?.carried ? table.renamed?.own ?? $0 : $0)""# }
        return (table.own, names.joined(separator: ", "))
    }

    /// Replaces the content of a database of pushes by what a main one carries. Announcements are its first plan, which
    /// is to be carried out.
    static func carry(from main: Database, to pushes: Database) throws {
        for table in all {
            try pushes.run("DELETE FROM \(table.own)")
            try copy(
                "SELECT \(table.carriedColumns) FROM \(table.carried)", main, into: table.own, table.ownColumns, pushes)
        }
        try pushes.run(
            """
            UPDATE link SET decided_through = NULL,
                plan = CASE WHEN EXISTS (SELECT 1 FROM announcements) THEN 1 ELSE 0 END
            """)
    }

    /// Moves what a main database carries into the tables of pushes that it has itself.
    static func move(in main: Database) throws(StoreError) {
        for table in all {
            try main.run(
                """
                INSERT INTO \(table.own) (\(table.ownColumns))
                SELECT \(table.carriedColumns) FROM \(table.carried)\(table.order) ON CONFLICT DO NOTHING
                """)
            try main.run("DELETE FROM \(table.carried)")
        }
    }

    /// Adds the content of a database of pushes to the tables of a main one, besides its plan.
    static func add(_ pushes: Database, to main: Database) throws {
        for table in [jobs] + others {
            try copy(
                "SELECT \(table.ownColumns) FROM \(table.own)\(table.order)", pushes, into: table.own, table.ownColumns,
                main,
                ifMissing: true)
        }
    }

    static func empty(_ main: Database) throws {
        for table in all { try main.run("DELETE FROM \(table.carried)") }
    }

    /// Has a backup carry the content of a database of pushes, without its jobs.
    static func fill(_ backup: Database, from pushes: Database) throws {
        for table in others {
            try copy(
                "SELECT \(table.ownColumns) FROM \(table.own)", pushes, into: table.carried, table.carriedColumns,
                backup)
        }
    }

    private static func copy(
        _ query: String, _ source: Database, into table: String, _ columns: String, _ target: Database,
        ifMissing: Bool = false
    ) throws {
        let count = columns.split(separator: ",").count
        let parameters = repeatElement("?", count: count).joined(separator: ", ")
        try source.each(query) { row in
            try target.run(
                "INSERT INTO \(table) (\(columns)) VALUES (\(parameters))\(ifMissing ? " ON CONFLICT DO NOTHING" : "")",
                values: row.values(count))
        }
    }
}
