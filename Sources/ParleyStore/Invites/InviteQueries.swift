import ParleyProtocol
import ParleyRules

/// An invite without its token, which is not stored.
package struct StoredInvite: Sendable {
    package let key: InviteKey
    package let id: InviteID
    package let group: GroupState
    package let maker: UserID
    /// 16 bytes, from which the token is derived with the gateway's key.
    package let seed: [UInt8]
    package let createdAt: Timestamp
    package let expiresAt: Timestamp
    /// In all; `nil` for no limit.
    package let uses: Int?
    package let usesLeft: Int?
    package let isRevoked: Bool
    /// Of the request, 16 bytes.
    package let digest: [UInt8]

    /// At its creation.
    package var objectAtFirst: Invite {
        Invite(id: id, group: group.id, expiresAt: expiresAt, usesLeft: uses, createdBy: maker, createdAt: createdAt)
    }

    /// As shown to others than its maker.
    package var object: Invite {
        Invite(
            id: id, group: group.id, expiresAt: expiresAt, usesLeft: usesLeft, createdBy: maker, createdAt: createdAt)
    }
}

package struct NewInvite: Sendable {
    package let id: InviteID
    package let group: GroupState
    package let maker: UserID
    package let seed: [UInt8]
    /// 32 bytes.
    package let tokenDigest: [UInt8]
    package let createdAt: Timestamp
    package let expiresAt: Timestamp
    package let uses: Int?
    package let digest: [UInt8]

    package init(
        id: InviteID, group: GroupState, maker: UserID, seed: [UInt8], tokenDigest: [UInt8], createdAt: Timestamp,
        expiresAt: Timestamp, uses: Int?, digest: [UInt8]
    ) {
        self.id = id
        self.group = group
        self.maker = maker
        self.seed = seed
        self.tokenDigest = tokenDigest
        self.createdAt = createdAt
        self.expiresAt = expiresAt
        self.uses = uses
        self.digest = digest
    }

    /// As shown to others than its maker.
    package var object: Invite {
        Invite(id: id, group: group.id, expiresAt: expiresAt, usesLeft: uses, createdBy: maker, createdAt: createdAt)
    }
}

package struct InviteQueries {
    let database: Database

    package func invite(_ id: InviteID) throws(StoreError) -> StoredInvite? {
        try database.first("\(InviteQueries.select) WHERE i.id = ?", [id.blob], StoredInvite.init)
    }

    /// Also an invalid one.
    package func invite(tokenDigest: [UInt8]) throws(StoreError) -> StoredInvite? {
        try database.first("\(InviteQueries.select) WHERE i.token_digest = ?", [tokenDigest], StoredInvite.init)
    }

    package func isUsed(_ invite: InviteKey, by user: UserID) throws(StoreError) -> Bool {
        try database.row(
            #"SELECT 1 FROM invite_uses WHERE invite = ? AND "user" = ?"#, [invite.value, user.text]) != nil
    }

    /// How many invites of a member to a group were not revoked, counted up to `limit`.
    ///
    /// - Parameter now: without those that are expired then or used up; `nil` counts them too.
    package func count(
        of maker: UserID, to group: GroupKey, openAt now: Timestamp?, atMost limit: Int
    ) throws(StoreError) -> Int {
        try database.row(
            """
            SELECT count(*) FROM (SELECT 1 FROM invites WHERE of_group = ?1 AND maker = ?2 AND is_revoked = 0
                AND (CAST(?3 AS BIGINT) IS NULL OR expires_at > ?3 AND (uses_left IS NULL OR uses_left > 0))
                LIMIT ?4) AS found
            """, [group.value, maker.text, now?.milliseconds, limit])?[0] ?? 0
    }

    /// The last invite of all when a user was removed from a group; `nil` if they never were.
    package func lastBeforeRemoval(of user: UserID, from group: GroupKey) throws(StoreError) -> InviteKey? {
        try database.row(
            #"SELECT last_invite FROM group_removals WHERE of_group = ? AND "user" = ?"#, [group.value, user.text])?
            .key(0)
    }

    /// Valid invites to a group before `key`, the newest first, until `body` returns `false`.
    ///
    /// - Parameter maker: `nil` for all makers.
    package func read(
        of group: GroupKey, by maker: UserID?, before key: InviteKey?, limit: Int, now: Timestamp,
        _ body: (StoredInvite) throws -> Bool
    ) throws {
        try database.read(
            """
            \(InviteQueries.select) WHERE i.of_group = ?1 AND i.key < ?2 AND i.is_revoked = 0 AND i.expires_at > ?3
                AND (i.uses_left IS NULL OR i.uses_left > 0) AND (CAST(?4 AS TEXT) IS NULL OR i.maker = ?4)
            ORDER BY i.key DESC LIMIT ?5
            """, [group.value, key?.value ?? .max, now.milliseconds, maker?.text, limit]
        ) { try body(StoredInvite($0)) }
    }

    private static let select = """
        SELECT i.key, i.id, i.maker, i.seed, i.created_at, i.expires_at, i.uses, i.uses_left, i.is_revoked,
            i.request_digest, g.key, g.id, g.conversation, c.id, g.time_zone
        FROM invites i JOIN groups g ON g.key = i.of_group JOIN conversations c ON c.key = g.conversation
        """
}

extension StoredInvite {
    fileprivate init(_ row: Row) throws(StoreError) {
        self.init(
            key: row.key(0), id: try row.uuid(1), group: try GroupState(row, from: 10),
            maker: try row.level(2), seed: row.bytes(3) ?? [], createdAt: row.time(4), expiresAt: row.time(5),
            uses: row.optionalInteger(6), usesLeft: row.optionalInteger(7), isRevoked: row.isTrue(8),
            digest: row.bytes(9) ?? [])
    }
}

package struct InviteWrites {
    let database: Database

    package func insert(_ invite: NewInvite) throws(StoreError) {
        try database.run(
            """
            INSERT INTO invites (id, of_group, maker, seed, token_digest, created_at, expires_at, uses, uses_left,
                request_digest)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?8, ?9)
            """,
            [
                invite.id.blob, invite.group.key.value, invite.maker.text, invite.seed, invite.tokenDigest,
                invite.createdAt.milliseconds, invite.expiresAt.milliseconds, invite.uses, invite.digest,
            ])
    }

    package func use(_ invite: InviteKey, by user: UserID, at now: Timestamp) throws(StoreError) {
        try database.run("UPDATE invites SET uses_left = uses_left - 1 WHERE key = ?", [invite.value])
        try database.run(
            """
            INSERT INTO invite_uses (invite, "user", used_at) VALUES (?, ?, ?)
            ON CONFLICT (invite, "user") DO UPDATE SET used_at = excluded.used_at
            """, [invite.value, user.text, now.milliseconds])
    }

    package func revoke(_ invite: InviteKey) throws(StoreError) {
        try database.run("UPDATE invites SET is_revoked = 1 WHERE key = ?", [invite.value])
    }

    /// Revokes a member's invites that are expired or used up.
    package func revokeEnded(of maker: UserID, to group: GroupKey, now: Timestamp) throws(StoreError) {
        try database.run(
            """
            UPDATE invites SET is_revoked = 1
            WHERE of_group = ? AND maker = ? AND is_revoked = 0 AND (expires_at <= ? OR uses_left = 0)
            """, [group.value, maker.text, now.milliseconds])
    }

    /// Removes some of the revoked invites to a group that were made before a time. The last invite of all stays, so
    /// that no later one gets its key.
    package func removeRevoked(to group: GroupKey, madeBefore time: Timestamp) throws(StoreError) {
        let removed = """
            SELECT key FROM invites WHERE of_group = ? AND is_revoked = 1 AND created_at < ?
                AND key < (SELECT max(key) FROM invites) ORDER BY key LIMIT 64
            """
        for table in ["invite_uses WHERE invite", "invites WHERE key"] {
            try database.run("DELETE FROM \(table) IN (\(removed))", [group.value, time.milliseconds])
        }
    }

    package func revokeAll(of maker: UserID, to group: GroupKey) throws(StoreError) {
        try database.run(
            "UPDATE invites SET is_revoked = 1 WHERE of_group = ? AND maker = ? AND is_revoked = 0",
            [group.value, maker.text])
    }

    package func revokeAll(to group: GroupKey) throws(StoreError) {
        try database.run("UPDATE invites SET is_revoked = 1 WHERE of_group = ? AND is_revoked = 0", [group.value])
    }
}
