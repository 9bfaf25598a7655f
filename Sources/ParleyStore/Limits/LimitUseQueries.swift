import ParleyProtocol
import ParleyRules

package struct LimitUseQueries {
    let database: Database

    /// When the bucket of a user will be full, in microseconds; `nil` for a full one.
    package func fullAt(_ key: LimitKey) throws(StoreError) -> Int64? {
        try database.first(
            #"SELECT full_at FROM limit_uses WHERE "user" = ? AND kind = ?"#, [key.user.text, key.use.rawValue]
        ) { $0[0] }
    }
}

package struct LimitUseWrites {
    let database: Database

    /// Writes a count that follows from the one that was read.
    ///
    /// - Throws: `.conflict` where another gateway has counted since then.
    package func replace(_ key: LimitKey, _ count: LimitUses.Count) throws(StoreError) {
        let changed = try database.change(
            """
            INSERT INTO limit_uses ("user", kind, full_at) VALUES (?, ?, ?)
            ON CONFLICT ("user", kind) DO UPDATE SET full_at = excluded.full_at WHERE limit_uses.full_at = ?
            """, [key.user.text, key.use.rawValue, count.bucket.fullAt, count.stored])
        guard changed == 1 else { throw .conflict(message: "a limit of the same user was counted by two gateways") }
    }

    /// Removes the counts of full buckets, so many at most.
    ///
    /// - Returns: how many.
    package func removeFull(at time: Timestamp, limit: Int) throws(StoreError) -> Int {
        try database.change(
            """
            DELETE FROM limit_uses WHERE ("user", kind) IN (
                SELECT "user", kind FROM limit_uses WHERE full_at <= ? ORDER BY full_at LIMIT ?)
            """, [time.microseconds, limit])
    }
}
