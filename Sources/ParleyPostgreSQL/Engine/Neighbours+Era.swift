import ParleyStore

// The era of the database, in the row of `instance` that no gateway has: those of cells count from 1.

extension Neighbours {
    /// Of no meaning but that all cells take the same.
    private static let eraLock = 0x5061_726C_6580

    var committed: StreamPosition { cell.toldBefore.position }

    func lockEra(in transaction: WriteTransaction) throws(StoreError) -> String? {
        _ = try transaction.facts.remoteRows("SELECT pg_advisory_xact_lock(?)", [.integer(Neighbours.eraLock)])
        let rows = try transaction.facts.remoteRows("SELECT name FROM instance WHERE id = 0", [])
        return rows.next() ? rows.text(0) : nil
    }

    func setEra(_ era: String, in transaction: WriteTransaction) throws(StoreError) {
        _ = try transaction.facts.remoteRows(
            "INSERT INTO instance (id, name) VALUES (0, ?) ON CONFLICT (id) DO UPDATE SET name = excluded.name",
            [.text(era)])
    }

    func endOthers(in transaction: WriteTransaction) throws(StoreError) {
        // Waits for what they have under way. From then on they find that their rows are not theirs any more.
        _ = try transaction.facts.remoteRows(
            "UPDATE cells SET incarnation = ? WHERE cell <> ?", [.blob(ClaimedCell.ended), .integer(own)])
    }
}
