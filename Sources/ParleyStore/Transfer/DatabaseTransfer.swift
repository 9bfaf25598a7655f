/// Copies a gateway's database to one of the other engine, while no gateway runs on either.
///
/// Rows are copied by table and key, some thousand in each transaction of the target, which also notes how far it has
/// come. So whoever was killed goes on there. The positions of the stream become those of the target's gateway; all
/// else, with every `seq`, every epoch and the name of the database, stays as it is.
package struct DatabaseTransfer {
    /// Where a process may be killed, for tests.
    package enum Step: Hashable, Sendable {
        case begun
        /// A page of a table; so many rows are copied in all.
        case copied(table: String, rows: Int)
        case compared, finished
    }

    /// How far it is.
    package struct State: Hashable, Sendable {
        /// The table that is being copied.
        package let table: String
        /// How many are done, of how many.
        package let tables, allTables: Int
        /// How many rows there are in the target.
        package let rows: Int
    }

    private let source: TransferSource
    private let target: Store
    private let plan: TransferPlan
    private let gateway: Stream
    private let report: (State) -> Void
    private let reached: (Step) throws -> Void

    /// - Parameters:
    ///   - pushes: the database of pushes that may belong to the source.
    ///   - report: called after each transaction.
    /// - Throws: `TransferError`, `StoreError`; nothing was written then.
    package init(
        from source: Store, pushes: PushStore?, to target: Store, report: @escaping (State) -> Void = { _ in },
        reached: @escaping (Step) throws -> Void = { _ in }
    ) throws {
        gateway = try target.read { $0.database.stream }
        self.source = try TransferSource(source, pushes: pushes, to: gateway)
        self.target = target
        plan = try TransferPlan(from: self.source.tables, to: try target.read { try $0.database.schemaTables() })
        (self.report, self.reached) = (report, reached)
    }

    /// There for as long as a copy is not complete.
    package static let progressTable = TransferProgress.table

    /// The last position of the copy.
    package var end: StreamPosition { source.positions.end }

    /// The name of the database, which the copy has too; `nil` before a gateway's first start.
    package func instance() throws(StoreError) -> String? { try target.read { try $0.continuity.instance() } }

    /// Goes on where an earlier run has ended, also one that was complete.
    ///
    /// - Returns: how many rows the copy has.
    package func run() throws -> Int {
        let begun = try begin()
        try reached(.begun)
        if let begun { try copy(from: begun) }
        try source.checkState()
        let rows = try compare()
        try reached(.compared)
        if begun != nil { try finish() }
        try reached(.finished)
        return rows
    }

    private func copy(from begun: TransferProgress) throws {
        var (progress, limit) = (begun, DatabaseTransfer.leastRows)
        while progress.table < plan.tables.count {
            let table = plan.tables[progress.table]
            let page = try source.page(of: table, after: progress.key, limit: limit, gateway: gateway)
            progress.rows += page.rows.count
            (progress.table, progress.key) = page.isLast ? (progress.table + 1, []) : (progress.table, page.mark)
            try write(page, table, progress)
            report(
                State(table: table.name, tables: progress.table, allTables: plan.tables.count, rows: progress.rows))
            try reached(.copied(table: table.name, rows: progress.rows))
            limit = DatabaseTransfer.limit(after: page)
        }
    }

    private static let (leastRows, mostRows) = (100, 4000)

    /// As many rows as make a page, if they are as large as those of the last one.
    private static func limit(after page: TransferPage) -> Int {
        guard !page.rows.isEmpty, page.bytes > 0 else { return leastRows }
        return min(max(TransferSource.pageBytes / 2 * page.rows.count / page.bytes, leastRows), mostRows)
    }

    /// - Returns: `nil` if all is there.
    private func begin() throws -> TransferProgress? {
        let present = try target.read { snapshot throws in
            try TransferProgress.read(snapshot.database, try snapshot.database.schemaTables())
        }
        if let present {
            guard present.source == source.state else { throw TransferError.otherTransfer }
            return present
        }
        if try isComplete() { return nil }
        let first = TransferProgress(source: source.state, table: 0, key: [], rows: 0)
        let filled = try target.write { transaction -> String? in
            for table in plan.tables where !table.isPerGateway {
                guard try transaction.database.row("SELECT 1 FROM \(table.name) LIMIT 1") == nil else {
                    return table.name
                }
            }
            try first.create(transaction.database)
            return nil
        }
        if let filled { throw TransferError.notEmpty(table: filled) }
        return first
    }

    /// Whether an earlier run has finished, and no gateway was started on the copy.
    private func isComplete() throws -> Bool {
        let (name, copied) = (try source.instance(), try instance())
        return try name != nil && name == copied && target.read { try $0.outbox.lastPosition() } == end
    }

    private func write(_ page: TransferPage, _ table: TransferTable, _ progress: TransferProgress) throws {
        try target.write(isolation: .byConversation) { transaction in
            let database = transaction.database
            if table.isPerGateway { try database.run("DELETE FROM \(table.name) WHERE id = ?", [gateway.row]) }
            try database.run(page.rows, row: "(\(TransferTable.parameters(table.columns.count)))") { rows in
                "INSERT INTO \(table.name) (\(table.columnList)) VALUES \(rows)"
            }
            try progress.save(database)
        }
    }

    // MARK: The end

    /// - Returns: how many rows both have.
    private func compare() throws -> Int {
        var rows = 0
        for table in plan.tables where !table.isPerGateway {
            let there = try TransferCount.rows(of: table) { body in
                try target.read { try body($0.database, (table.name, table.columnList)) }
            }
            let here = try source.count(of: table)
            guard here == there else {
                throw TransferError.differs("\(table.name) has \(here) rows, the copy \(there)")
            }
            rows += here
        }
        var last = Int.min
        while true {
            let (here, there) = (
                try TransferCount.logs(source.store, after: last), try TransferCount.logs(target, after: last)
            )
            if let (one, other) = zip(here, there).first(where: { $0 != $1 }) {
                throw TransferError.differs(
                    "conversation \(one.conversation) has \(one.records) records up to seq \(one.lastSeq), in the copy "
                        + "\(other.conversation) has \(other.records) up to \(other.lastSeq)")
            }
            guard here.count == there.count else { throw TransferError.differs("conversations are missing") }
            guard let end = here.last else { return rows }
            last = end.conversation
        }
    }

    private func finish() throws {
        try target.write { transaction in
            let database = transaction.database
            if case .remote(let connection) = database.engine {
                for table in plan.tables {
                    guard let column = table.generated else { continue }
                    _ = try connection.rows(
                        """
                        SELECT setval(CAST(pg_get_serial_sequence(?, ?) AS regclass),
                            (SELECT coalesce(max(\(column)), 0) + 1 FROM \(table.name)), false)
                        """, [.text(table.name), .text(column)])
                }
                connection.setStreamEnd(end, audience: nil)
            }
            try TransferProgress.remove(database)
        }
    }
}
