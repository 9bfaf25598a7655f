/// Rows of a table, as the target is to have them.
struct TransferPage {
    let rows: [[BoundValue]]
    /// The key of the last one, as the source has it.
    let mark: [UInt8]
    let isLast: Bool
    let bytes: Int
}

extension TransferSource {
    /// The rows of a table behind a mark.
    ///
    /// - Parameters:
    ///   - mark: empty for the start.
    ///   - gateway: whose row it is to be, of a table of which each gateway has one.
    func page(
        of table: TransferTable, after mark: [UInt8], limit: Int, gateway: Stream
    ) throws -> TransferPage {
        guard let key = mark.isEmpty ? start(of: table) : RowMark.values(mark),
            key.isEmpty || key.count == table.key.count
        else {
            throw TransferError.otherTransfer
        }
        var (rows, bytes, last) = ([[BoundValue]](), 0, mark)
        try read(table) { database, from in
            let (condition, arguments) =
                table.isPerGateway
                ? ("WHERE id = ?", [.integer(database.stream.row)])
                : key.isEmpty ? ("", []) : ("WHERE (\(table.keyList)) > (\(table.keyParameters))", key)
            try database.read(
                "SELECT \(from.columns) FROM \(from.name) \(condition) ORDER BY \(table.keyList) LIMIT \(limit)",
                Arguments(arguments)
            ) { row in
                let values = row.values(table.columns.count)
                last = RowMark.bytes(table.key.map { values[$0] })
                bytes += values.reduce(0) { $0 + $1.size }
                rows.append(values)
                return bytes < TransferSource.pageBytes
            }
        }
        let isLast = table.isPerGateway || rows.count < limit && bytes < TransferSource.pageBytes
        rows = try rows.map { try transferred($0, of: table, gateway: gateway) }
        return TransferPage(rows: rows, mark: last, isLast: isLast, bytes: bytes)
    }

    /// About how much is in memory, and in one transaction.
    static let pageBytes = 8 << 20

    private func transferred(
        _ values: [BoundValue], of table: TransferTable, gateway: Stream
    ) throws(TransferError) -> [BoundValue] {
        var values = values
        for place in table.positions {
            guard case .integer(let position?) = values[place] else { continue }
            values[place] = .integer(try positions.map(position))
        }
        guard table.isPerGateway else { return values }
        for (place, column) in table.columns.enumerated() {
            switch (table.name, column) {
            case (_, "id"): values[place] = .integer(gateway.row)
            case ("publishing", "published_through") where mergesStreams: values[place] = .integer(positions.end.value)
            // No database of pushes is linked: the next start fills one with what the tables carry.
            case ("push_link", "name"): values[place] = .optionalText(nil)
            case ("push_link", "plan"): values[place] = .integer(0)
            default: break
            }
        }
        return values
    }

    /// How many rows a table has, counted in steps none of which takes long.
    func count(of table: TransferTable) throws -> Int {
        try TransferCount.rows(of: table, after: start(of: table)) { body in try read(table, body) }
    }

    /// The key behind which rows are copied; empty for all.
    private func start(of table: TransferTable) -> [BoundValue] {
        guard table.name == "push_events", let decided = pushes?.decidedThrough else { return [] }
        return [.integer(decided.value)]
    }

    /// Reads where the content of a table is.
    private func read(
        _ table: TransferTable, _ body: (Database, (name: String, columns: String)) throws -> Void
    ) throws {
        if let pushes, let own = pushes.place(of: table) {
            try pushes.store.read { try body($0.database, own) }
        } else {
            try store.read { try body($0.database, (table.name, table.columnList)) }
        }
    }
}

extension BoundValue {
    /// About how many bytes it takes.
    fileprivate var size: Int {
        switch self {
        case .integer: 8
        case .text(let text): text.utf8.count
        case .optionalText(let text): text?.utf8.count ?? 0
        case .blob(let bytes): bytes?.count ?? 0
        }
    }
}
