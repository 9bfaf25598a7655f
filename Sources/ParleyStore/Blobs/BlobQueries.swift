import ParleyProtocol
import ParleyRules

/// A row of `blobs`.
package struct BlobRow: Sendable {
    package let stored: StoredBlob
    /// Of the request that has made it.
    package let digest: [UInt8]
    /// Whether the message that names it is shown to its sender alone.
    package let isWithheld: Bool
}

package struct BlobQueries {
    let database: Database

    package func blob(_ id: BlobID) throws(StoreError) -> BlobRow? { try blobs([id])[id] }

    package func blobs(_ ids: some Collection<BlobID>) throws(StoreError) -> [BlobID: BlobRow] {
        try database.table(ids.map { [.id($0)] }, key: "?") { ids in
            """
            SELECT b.id, c.id, b.maker, b.size, b.sha256, b.digest, b.created_at, b.expires_at, b.disappears_at, b.seq,
                r.withheld
            FROM blobs b JOIN conversations c ON c.key = b.conversation
            LEFT JOIN records r ON r.conversation = b.conversation AND r.seq = b.seq
            WHERE b.id IN (\(ids))
            """
        } _: { row in
            let row = try BlobRow(row)
            return (row.stored.blob.id, row)
        }
    }

    /// Those of the ids that may have bytes at a door: of blobs, and of what is gone and not yet removed.
    package func known(_ ids: some Collection<BlobID>) throws(StoreError) -> Set<BlobID> {
        var known: Set<BlobID> = []
        try database.read(ids.map { [.id($0)] }, key: "?") { ids in
            "SELECT id FROM blobs WHERE id IN (\(ids))"
        } _: { row in
            known.insert(try row.uuid(0))
        }
        try database.read(ids.map { [.id($0)] }, key: "?") { ids in
            "SELECT id, is_removed FROM gone_blobs WHERE id IN (\(ids))"
        } _: { row in
            if !row.isTrue(1) { known.insert(try row.uuid(0)) }
        }
        return known
    }

    /// Those of the ids that are gone.
    package func gone(among ids: some Collection<BlobID>) throws(StoreError) -> Set<BlobID> {
        var gone: Set<BlobID> = []
        try database.read(ids.map { [.id($0)] }, key: "?") { ids in
            "SELECT id FROM gone_blobs WHERE id IN (\(ids))"
        } _: { row in
            gone.insert(try row.uuid(0))
        }
        return gone
    }

    /// Blobs of a user, whether messages name them or not.
    func ids(of user: UserID, limit: Int) throws(StoreError) -> [BlobID] {
        try database.list("SELECT id FROM blobs WHERE maker = ? ORDER BY seq LIMIT ?", [user.text, limit]) {
            try $0.uuid(0)
        }
    }

    /// The blobs of a user that no message names.
    package func unnamed(of user: UserID) throws(StoreError) -> CreateBlobRule.UnnamedBlobs {
        try database.first(
            """
            SELECT count(*), min(disappears_at) FROM blobs WHERE maker = ? AND seq IS NULL
            """, [user.text]
        ) { CreateBlobRule.UnnamedBlobs(count: $0.integer(0), firstEnd: $0.optionalTime(1)) }
            ?? CreateBlobRule.UnnamedBlobs(count: 0, firstEnd: nil)
    }

    /// Blobs whose bytes are to be removed, those first that have been so for longest.
    package func gone(limit: Int) throws(StoreError) -> [BlobID] {
        try database.list(
            "SELECT id FROM gone_blobs WHERE is_removed = 0 ORDER BY gone_at LIMIT ?", [limit]
        ) { try $0.uuid(0) }
    }

    /// The blobs of a user that no message names.
    func unnamedIDs(of user: UserID) throws(StoreError) -> [BlobID] {
        try database.list("SELECT id FROM blobs WHERE maker = ? AND seq IS NULL", [user.text]) { try $0.uuid(0) }
    }

    /// The blobs that the message at this place names.
    func ids(seq: Int, in conversation: ConversationKey) throws(StoreError) -> [BlobID] {
        try database.list(
            "SELECT id FROM blobs WHERE conversation = ? AND seq = ?", [conversation.value, seq]
        ) { try $0.uuid(0) }
    }

    /// What has disappeared, the first first.
    ///
    /// - Parameter now: the steady time.
    func disappeared(at now: Timestamp, limit: Int) throws(StoreError) -> [BlobID] {
        try database.list(
            """
            SELECT id FROM blobs WHERE disappears_at IS NOT NULL AND disappears_at <= ?
            ORDER BY disappears_at LIMIT ?
            """, [now.milliseconds, limit]
        ) { try $0.uuid(0) }
    }

    /// When the next blob disappears, by the steady time.
    package func nextEnd() throws(StoreError) -> Timestamp? {
        try database.row(
            """
            SELECT disappears_at FROM blobs WHERE disappears_at IS NOT NULL ORDER BY disappears_at LIMIT 1
            """)?.time(0)
    }

    /// Since when the blob is gone that has been so for longest.
    package func firstGone() throws(StoreError) -> Timestamp? {
        try database.row("SELECT gone_at FROM gone_blobs ORDER BY gone_at LIMIT 1")?.time(0)
    }
}

extension BlobRow {
    fileprivate init(_ row: Row) throws {
        guard let digest = BlobDigest(row.bytes(4) ?? []) else { throw StoreError.inconsistent(.column(4)) }
        let blob = Blob(
            id: try row.uuid(0), conversation: try row.uuid(1), size: row.integer(3), digest: digest,
            createdAt: row.time(6), expiresAt: row.optionalTime(7))
        stored = StoredBlob(
            blob: blob, maker: try row.level(2), disappearsAt: row.optionalTime(8), seq: row.optionalInteger(9))
        self.digest = row.bytes(5) ?? []
        isWithheld = row.isTrue(10)
    }
}
