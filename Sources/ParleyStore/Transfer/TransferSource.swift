/// The database that is copied, and what it was when the copy began.
struct TransferSource {
    let store: Store
    /// Where the content of the tables of pushes is; `nil` for in the database itself.
    let pushes: TransferPushes?
    let tables: [String: SchemaTable]
    /// Another one once a gateway was started on the database.
    let state: String
    let positions: PositionMap
    /// Whether streams of several cells become one, all of which is published.
    let mergesStreams: Bool

    /// - Parameter target: whose stream positions are mapped to.
    /// - Throws: `TransferError` for what cannot be copied as it is.
    init(_ store: Store, pushes: PushStore?, to target: Stream) throws {
        (self.store, tables) = (store, try store.read { try $0.database.schemaTables() })
        self.pushes = try TransferPushes(linked: pushes, to: store) ?? TransferPushes(sharedIn: store)
        let (own, ends) = try store.read { ($0.database.stream, try TransferSource.ends($0)) }
        state = try TransferSource.state(store)
        positions = PositionMap(ends.map(\.end), to: target)
        mergesStreams = ends.contains { $0.end.cell != own.start.cell }
        guard mergesStreams else { return }
        let unpublished = try store.read { snapshot throws in
            try ends.first { try snapshot.hasUnpublished(through: $0.end) }
        }
        if let unpublished { throw TransferError.unpublished(cell: unpublished.cell) }
    }

    /// Checks at the end that it is still what it was.
    func checkState() throws {
        guard try TransferSource.state(store) == state else { throw TransferError.gatewayStarted }
    }

    /// The name of the database.
    func instance() throws(StoreError) -> String? { try store.read { try $0.continuity.instance() } }

    private static func state(_ store: Store) throws(StoreError) -> String {
        try store.read { snapshot throws in
            let names = try snapshot.database.list("SELECT id, name FROM instance ORDER BY id") {
                "\($0[0] as Int) \($0[1] as String)"
            }
            return (names + (try ends(snapshot)).map { "\($0.end)" }).joined(separator: ", ")
        }
    }

    /// The last position of each stream that has any.
    private static func ends(_ snapshot: Snapshot) throws(StoreError) -> [(cell: String, end: StreamPosition)] {
        let database = snapshot.database
        guard case .remote = database.engine else { return [("", try snapshot.outbox.lastPosition())] }
        let cells = try database.list(
            """
            SELECT c.name, c.cell, greatest(c.position, p.published_through)
            FROM cells c LEFT JOIN publishing p ON p.id = c.cell ORDER BY c.cell
            """
        ) { row in
            (row[0] as String, StreamPosition(max(row[2], Stream(cell: row[1]).start.value)))
        }
        return cells.filter { $0.1 > Stream(cell: $0.1.cell).start }
    }
}

extension Snapshot {
    /// Whether something in a stream is not published yet, or waits for neighbours.
    fileprivate func hasUnpublished(through end: StreamPosition) throws(StoreError) -> Bool {
        let start = Stream(cell: end.cell).start.value
        let published: Int =
            try database.row("SELECT published_through FROM publishing WHERE id = ?", [end.cell])?[0] ?? 0
        let record = try database.row(
            "SELECT 1 FROM records WHERE position > ? AND position <= ? LIMIT 1", [max(published, start), end.value])
        let event = try database.row(
            "SELECT 1 FROM outbox WHERE position > ? AND position <= ? LIMIT 1", [start, end.value])
        return record != nil || event != nil
    }
}
