import ParleyProtocol
import ParleyRules

package struct MemberQueries {
    let database: Database

    /// The reply to a user who left a conversation: its object as JSON. `nil` if they never were in it or are again.
    package func leaveReply(of user: UserID, from conversation: ConversationKey) throws(StoreError) -> [UInt8]? {
        try database.row(
            #"SELECT farewell FROM departures WHERE conversation = ? AND "user" = ?"#, [conversation.value, user.text])?
            .bytes(0)
    }

    /// Whether a user has left a conversation, or was removed from it, and has not come back.
    package func hasLeft(_ user: UserID, from conversation: ConversationKey) throws -> Bool {
        try database.row(
            #"SELECT 1 FROM departures WHERE conversation = ? AND "user" = ?"#, [conversation.value, user.text]) != nil
    }

    /// How many groups others have added a user to, counted up to `limit`.
    package func groupsByOthers(of user: UserID, atMost limit: Int) throws(StoreError) -> Int {
        try database.row(
            #"SELECT count(*) FROM (SELECT 1 FROM members WHERE "user" = ? AND added_by IS NOT NULL LIMIT ?) AS found"#,
            [user.text, limit])?[0] ?? 0
    }

    /// How many open conversations count for a user (`OpenConversationsRule`), counted up to `limit`.
    package func countedConversations(of user: UserID, atMost limit: Int) throws(StoreError) -> Int {
        try database.row(MemberQueries.countedCount, [user.text, limit])?[0] ?? 0
    }

    static let countedCount =
        #"SELECT count(*) FROM (SELECT 1 FROM members WHERE "user" = ? AND is_counted = 1 LIMIT ?) AS found"#

    /// `nil` for a user who is no member. An expired muting counts as none.
    package func preferences(
        of user: UserID, in conversation: ConversationKey, now: Timestamp
    ) throws(StoreError) -> ConversationPreferences? {
        try database.row(
            "SELECT \(preferenceColumns) FROM members m WHERE m.conversation = ? AND m.user = ?",
            [conversation.value, user.text]
        ).map { ConversationPreferences($0, from: 0, now: now) }
    }

    /// Whether a user shares a conversation with another that is open for both, as far as the user can tell
    /// (`Relationship.isShared`): not one with a hidden request of the user, and not an empty direct one, which anybody
    /// can create.
    ///
    /// Scans the conversations of the user with fewer, so that the number of the other's does not matter.
    ///
    /// - Parameter most: `false` without a scan where both have at least as many.
    package func shareConversation(
        _ user: UserID, with other: UserID, atMost most: Int = .max
    ) throws(StoreError) -> Bool {
        guard let walked = try fewer(user, other, atMost: most) else { return false }
        let probed = walked == user ? other : user
        return try database.row(MemberQueries.shared, [walked.text, probed.text, user.text, other.text]) != nil
    }

    /// The user with fewer open conversations, roughly; `nil` where both have at least `most`.
    private func fewer(_ user: UserID, _ other: UserID, atMost most: Int) throws(StoreError) -> UserID? {
        for bound in [64, 1024] where bound < most {
            for one in [other, user] where try openConversations(of: one, atMost: bound) < bound { return one }
        }
        guard most < .max else { return other }
        for one in [other, user] where try openConversations(of: one, atMost: most) < most { return one }
        return nil
    }

    private func openConversations(of user: UserID, atMost limit: Int) throws(StoreError) -> Int {
        try database.row(MemberQueries.openCount, [user.text, limit])?[0] ?? 0
    }

    static let openCount =
        #"SELECT count(*) FROM (SELECT 1 FROM members WHERE "user" = ? AND is_open = 1 LIMIT ?) AS found"#

    /// The joins are in this order whatever SQLite knows of the tables.
    static let shared = """
        SELECT 1 FROM members a CROSS JOIN members b CROSS JOIN conversations c
        WHERE a."user" = ?1 AND a.is_open = 1 AND b.conversation = a.conversation AND b."user" = ?2 AND b.is_open = 1
            AND c.key = a.conversation AND (c.type = 'group' OR c.last_seq > 0 AND NOT EXISTS (
                SELECT 1 FROM message_requests WHERE sender = ?3 AND recipient = ?4 AND state = 'hidden'))
        LIMIT 1
        """
}

package struct MemberWrites {
    let database: Database

    /// Adds a member, and forgets that they have left before.
    ///
    /// - Parameter adder: `nil` for members who joined by themselves.
    package func insert(
        _ member: MemberFacts, into conversation: ConversationState, addedBy adder: UserID?
    ) throws(StoreError) {
        let key = conversation.key.value
        // Earlier records count as read.
        try database.run(
            """
            INSERT INTO members (conversation, "user", role, joined_at, is_open, joined_seq, visible_from, delivered_seq,
                read_seq, active_at, added_by, is_counted)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [
                key, member.user.text, member.role.rawValue, member.joinedAt.milliseconds, member.isOpen,
                member.joinedSeq, member.visibleFrom, member.joinedSeq, member.joinedSeq,
                conversation.facts.updatedAt.milliseconds, adder?.text, adder == nil && member.isOpen,
            ])
        try database.run(#"DELETE FROM departures WHERE conversation = ? AND "user" = ?"#, [key, member.user.text])
    }

    /// Removes a member with their watermarks and preferences.
    package func delete(_ user: UserID, of conversation: ConversationKey) throws(StoreError) {
        try database.run(
            #"DELETE FROM members WHERE conversation = ? AND "user" = ?"#, [conversation.value, user.text])
        try database.run(
            #"DELETE FROM device_watermarks WHERE conversation = ? AND "user" = ?"#, [conversation.value, user.text])
    }

    /// Stores the reply to a user who has left, for a repeated request: the conversation's object as JSON.
    package func insertDeparture(
        of user: UserID, from conversation: ConversationKey, reply: [UInt8], at now: Timestamp
    ) throws(StoreError) {
        try database.run(
            #"INSERT INTO departures (conversation, "user", left_at, farewell) VALUES (?, ?, ?, ?)"#,
            [conversation.value, user.text, now.milliseconds, reply])
    }

    package func setRole(_ role: MemberRole, of user: UserID, in conversation: ConversationKey) throws(StoreError) {
        try database.run(
            #"UPDATE members SET role = ? WHERE conversation = ? AND "user" = ?"#,
            [role.rawValue, conversation.value, user.text])
    }

    /// - Parameter conversation: its log must be written first, or new messages would be archived with the rest.
    package func setPreferences(
        _ preferences: ConversationPreferences, of user: UserID, in conversation: inout ConversationState
    ) throws(StoreError) {
        if preferences.isArchived { conversation.archivedThrough = conversation.facts.lastMessageSeq }
        try database.run(
            """
            UPDATE members SET is_muted = ?, muted_until = ?, is_archived = ?, is_marked_unread = ?
            WHERE conversation = ? AND "user" = ?
            """,
            [
                preferences.isMuted, preferences.mutedUntil?.milliseconds, preferences.isArchived,
                preferences.isMarkedUnread, conversation.key.value, user.text,
            ])
    }

    /// - Parameter isCounted: whether the user has opened it by an act of their own.
    package func setOpen(
        _ isOpen: Bool, for user: UserID, in conversation: ConversationKey, isCounted: Bool
    ) throws(StoreError) {
        try database.run(
            #"UPDATE members SET is_open = ?, is_counted = ? WHERE conversation = ? AND "user" = ?"#,
            [isOpen, isOpen && isCounted, conversation.value, user.text])
    }
}

/// The columns of `ConversationPreferences`, for a query that calls the table `m`.
let preferenceColumns = "m.is_muted, m.muted_until, m.is_archived, m.is_marked_unread"

extension ConversationPreferences {
    /// From `preferenceColumns`. An expired muting counts as none.
    init(_ row: some ColumnReader, from column: Int, now: Timestamp) {
        let muting: Muting = row.isTrue(column) ? row.optionalTime(column + 1).map { .until($0) } ?? .forever : .off
        self = ConversationPreferences(
            muting: muting, isArchived: row.isTrue(column + 2), isMarkedUnread: row.isTrue(column + 3)
        ).effective(at: now)
    }
}
