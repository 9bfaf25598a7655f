import ParleyProtocol
import ParleyRules
import ParleyStore
import PostgreSQL

/// The steady time that all cells have together stands in a row of `clock` that is no cell's: `stepped_at` is the time
/// of the server when it was last told, and `steps` how far that was ahead of it.
extension Neighbours {
    func beginSteadyTime() throws(StoreError) -> Timestamp {
        try withConnection { connection in
            // At first it is that of a database file that was copied here, or of cells that had each their own: then
            // the one by which nothing ends early.
            try connection.send(
                """
                INSERT INTO clock (id, steps, stepped_at, position)
                SELECT 0, steps, stepped_at, 0 FROM clock WHERE stepped_at > 0 ORDER BY steps DESC LIMIT 1
                ON CONFLICT (id) DO NOTHING
                """)
            let rows = try connection.query(
                """
                SELECT s.time, c.steps, c.stepped_at
                FROM (SELECT \(ClaimedCell.now) AS time) AS s LEFT JOIN clock c ON c.id = 0
                """)
            let stored = StoredClock(
                boot: nil, bootOffset: nil, clockOffset: Int64(rows.integer(0, 1) ?? 0),
                lastTime: rows.integer(0, 2).map { Timestamp(milliseconds: Int64($0)) })
            let server = ClockReading(wall: Timestamp(milliseconds: Int64(rows.integer(0, 0) ?? 0)), sinceBoot: 0)
            return try share(stored.steady(server, boot: nil), connection)
        }
    }

    func shareSteadyTime(_ steady: Timestamp) throws(StoreError) -> Timestamp {
        try withConnection(leaseSessions) { try share(steady, $0) }
    }

    private func share(_ steady: Timestamp, _ connection: PostgreSQLConnection) throws(PostgreSQLError) -> Timestamp {
        let rows = try connection.query(
            """
            INSERT INTO clock (id, steps, stepped_at, position)
            SELECT 0, s.time - CAST($1 AS BIGINT), s.time, 0 FROM (SELECT \(ClaimedCell.now) AS time) AS s
            ON CONFLICT (id) DO UPDATE SET stepped_at = excluded.stepped_at, steps = excluded.stepped_at
                - greatest(clock.stepped_at - clock.steps, excluded.stepped_at - excluded.steps)
            RETURNING stepped_at - steps
            """, [.integer(Int(steady.milliseconds))])
        return rows.integer(0, 0).map { Timestamp(milliseconds: Int64($0)) } ?? steady
    }
}
