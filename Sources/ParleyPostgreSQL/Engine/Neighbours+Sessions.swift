import ParleyProtocol
import ParleyStore

// Who is connected to which cell: the union is who is online.

extension Neighbours {
    /// How long a cell may be silent before its users count as gone, in milliseconds: those who come back to another
    /// cell by then were never away to their friends.
    private static let patience = 10_000

    package func sessions(in snapshot: Snapshot) throws(StoreError) -> [UserID] {
        try users(snapshot.remoteRows(#"SELECT "user" FROM sessions WHERE cell = ?"#, [.integer(own)]))
    }

    package func connected(
        among users: [UserID], elsewhere: Bool, in snapshot: Snapshot
    ) throws(StoreError) -> Set<UserID> {
        var found: Set<UserID> = []
        for part in Neighbours.parts(users) {
            let rows = try snapshot.remoteRows(
                """
                SELECT s."user" FROM sessions s JOIN cell_leases l ON l.cell = s.cell
                WHERE s."user" IN (\(Neighbours.list)) AND s.cell <> ?
                    AND l.until > \(ClaimedCell.now) - \(Neighbours.patience)
                """, part + [.integer(elsewhere ? own : 0)])
            found.formUnion(try self.users(rows))
        }
        return found
    }

    package func storeSessions(
        arrived: [UserID], left: [UserID], in transaction: WriteTransaction
    ) throws(StoreError) {
        for part in Neighbours.parts(arrived) {
            _ = try transaction.facts.remoteRows(
                """
                INSERT INTO sessions ("user", cell, since) SELECT id, ?, \(ClaimedCell.now) FROM users
                WHERE id IN (\(Neighbours.list)) ON CONFLICT ("user", cell) DO NOTHING
                """, [.integer(own)] + part)
        }
        for part in Neighbours.parts(left) {
            _ = try transaction.facts.remoteRows(
                #"DELETE FROM sessions WHERE cell = ? AND "user" IN (\#(Neighbours.list))"#, [.integer(own)] + part)
        }
    }

    /// The lease is locked: a cell that has extended it knows that nobody removes its rows any more.
    package func removeLostSessions(limit: Int, in transaction: WriteTransaction) throws(StoreError) -> [UserID] {
        try users(
            transaction.facts.remoteRows(
                """
                DELETE FROM sessions WHERE ("user", cell) IN (
                    SELECT s."user", s.cell FROM cell_leases l JOIN sessions s ON s.cell = l.cell
                    WHERE l.until < \(ClaimedCell.now) - \(Neighbours.patience) AND l.cell <> ?
                    ORDER BY s.cell, s."user" LIMIT ? FOR UPDATE OF l)
                RETURNING "user"
                """, [.integer(own), .integer(limit)]))
    }

    private func users(_ rows: any RemoteRows) throws(StoreError) -> [UserID] {
        var users: [UserID] = []
        while rows.next() { if let user = UserID(rows.text(0)) { users.append(user) } }
        return users
    }

    /// How many users a statement is about: one number, so that few statements are prepared.
    private static let size = 64

    private static let list = repeatElement("?", count: size).joined(separator: ", ")

    /// The values of `list`, as often as it takes; the rest is NULL.
    private static func parts(_ users: [UserID]) -> [[BoundValue]] {
        stride(from: 0, to: users.count, by: size).map { start in
            let part = users[start..<min(start + size, users.count)].map { BoundValue.text($0.text) }
            return part + repeatElement(.optionalText(nil), count: size - part.count)
        }
    }
}
