import ParleyProtocol
import ParleyRules

package struct BlobWrites {
    let database: Database

    /// - Parameter digest: of the request, 16 bytes.
    package func insert(
        _ stored: StoredBlob, in conversation: ConversationKey, digest: [UInt8]
    ) throws(StoreError) {
        let blob = stored.blob
        try database.run(
            """
            INSERT INTO blobs
                (id, conversation, maker, size, sha256, digest, created_at, expires_at, disappears_at)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [
                blob.id.blob, conversation.value, stored.maker.text, blob.size, blob.digest.bytes, digest,
                blob.createdAt.milliseconds, blob.expiresAt?.milliseconds, stored.disappearsAt?.milliseconds,
            ])
    }

    /// A message names these blobs: they disappear with it.
    ///
    /// - Throws: `.conflict` where one has changed since it was read.
    package func name(
        _ ids: [BlobID], by record: MessageRecord, in conversation: ConversationKey
    ) throws(StoreError) {
        for id in ids {
            let changed = try database.change(
                """
                UPDATE blobs SET seq = ?, expires_at = ?, disappears_at = ?
                WHERE id = ? AND conversation = ? AND seq IS NULL
                """,
                [
                    record.seq, record.expiresAt?.milliseconds, record.disappearsAt?.milliseconds, id.blob,
                    conversation.value,
                ])
            guard changed == 1 else { throw .conflict(message: "a blob was named or deleted by another gateway") }
        }
    }

    // MARK: Removal

    /// These are nobody's any more: of each the id stays for a time.
    ///
    /// - Returns: how many there were.
    @discardableResult
    package func discard(_ ids: [BlobID], at steady: Timestamp) throws(StoreError) -> Int {
        var count = 0
        for id in ids where try database.change("DELETE FROM blobs WHERE id = ?", [id.blob]) == 1 {
            try database.run("INSERT INTO gone_blobs (id, gone_at) VALUES (?, ?)", [id.blob, steady.milliseconds])
            count += 1
        }
        return count
    }

    /// Discards the blobs that the message at this place names.
    ///
    /// - Returns: how many.
    package func discard(seq: Int, in conversation: ConversationKey, at steady: Timestamp) throws(StoreError) -> Int {
        try discard(try queries.ids(seq: seq, in: conversation), at: steady)
    }

    /// Discards the blobs of a user that no message names.
    package func discardUnnamed(of user: UserID, at steady: Timestamp) throws(StoreError) {
        try discard(try queries.unnamedIDs(of: user), at: steady)
    }

    /// Discards blobs of a user, whether messages name them or not, so many at most.
    ///
    /// - Returns: how many.
    package func discardAll(of user: UserID, at steady: Timestamp, limit: Int) throws(StoreError) -> Int {
        try discard(try queries.ids(of: user, limit: limit), at: steady)
    }

    /// Discards what has disappeared, the first first.
    ///
    /// - Parameter now: the steady time.
    /// - Returns: how many.
    package func discardDisappeared(at now: Timestamp, limit: Int) throws(StoreError) -> Int {
        try discard(try queries.disappeared(at: now, limit: limit), at: now)
    }

    /// A door has removed the bytes of these, as far as they are gone.
    package func recordRemoved(_ ids: [BlobID]) throws(StoreError) {
        for id in ids { try database.run("UPDATE gone_blobs SET is_removed = 1 WHERE id = ?", [id.blob]) }
    }

    /// Forgets what has been gone for so long that nothing is under way any more.
    ///
    /// - Returns: how many.
    package func forgetGone(before time: Timestamp, limit: Int) throws(StoreError) -> Int {
        try database.change(
            """
            DELETE FROM gone_blobs WHERE id IN (
                SELECT id FROM gone_blobs WHERE gone_at < ? ORDER BY gone_at LIMIT ?)
            """, [time.milliseconds, limit])
    }

    private var queries: BlobQueries { BlobQueries(database: database) }
}
