import GRDB
import ParleyProtocol

// The changes of a disappearing message have its expiry too, so each record expires by its own.

extension RecordQueries {
    /// When the next ciphertext disappears, by the steady time; `nil` if none is to.
    package func nextExpiry() throws(StoreError) -> Timestamp? {
        try database.row(
            """
            SELECT disappears_at FROM records WHERE disappears_at IS NOT NULL AND content IS NOT NULL
            ORDER BY disappears_at LIMIT 1
            """)?.time(0)
    }
}

extension RecordWrites {
    /// Removes ciphertext that has expired, the oldest first, of no more than `limit` records.
    ///
    /// - Parameter now: the steady time.
    /// - Returns: of how many.
    package func removeExpired(at now: Timestamp, limit: Int) throws(StoreError) -> Int {
        try database.run(
            """
            UPDATE records SET content = NULL, nonce = NULL, recipient_keys = NULL WHERE position IN (
                SELECT position FROM records
                WHERE disappears_at IS NOT NULL AND disappears_at <= ? AND content IS NOT NULL
                ORDER BY disappears_at LIMIT ?)
            """, [now.milliseconds, limit])
        return database.changesCount
    }
}
