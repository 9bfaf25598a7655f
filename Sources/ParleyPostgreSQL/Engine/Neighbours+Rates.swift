import ParleyProtocol
import ParleyStore
import PostgreSQL

// What users spend of their rates of requests, at all cells together, in the table of limits: by the clock of the
// server alone, and in times from now on, so that no other clock matters.

extension Neighbours {
    func share(_ spendings: [RateSpending]) throws(StoreError) -> [RateSpending] {
        guard !spendings.isEmpty else { return [] }
        // In one order: two cells that wait for each other's rows would wait for long.
        let spendings = spendings.sorted { ($0.user.text, $0.area) < ($1.user.text, $1.area) }
        var all: [RateSpending] = []
        try withConnection { connection in
            let begin: ClaimedCell.Statement = ("BEGIN", [])
            // Nothing acknowledged depends on it: neither the disk nor a standby is waited for.
            let lazily: ClaimedCell.Statement = ("SET LOCAL synchronous_commit TO off", [])
            let statements = spendings.map { spending -> ClaimedCell.Statement in
                (
                    Neighbours.spend,
                    [.text(spending.user.text), .text("rate:\(spending.area)"), .integer(Int(spending.time))]
                )
            }
            let rows = try connection.query(all: [begin, lazily] + statements + [("COMMIT", [])])
            for (spending, rows) in zip(spendings, rows.dropFirst(2)) {
                // Without a row the user is gone.
                guard let time = rows.count == 1 ? rows.integer(0, 0) : nil else { continue }
                all.append(RateSpending(user: spending.user, area: spending.area, time: Int64(time)))
            }
        }
        return all
    }

    /// In microseconds since 1970.
    private static let now = "CAST(extract(epoch FROM clock_timestamp()) * 1000000 AS BIGINT)"

    private static let spend = """
        INSERT INTO limit_uses ("user", kind, full_at) SELECT id, $2, \(now) + $3 FROM users WHERE id = $1
        ON CONFLICT ("user", kind) DO UPDATE SET full_at = greatest(limit_uses.full_at, \(now)) + $3
        RETURNING full_at - \(now)
        """
}
