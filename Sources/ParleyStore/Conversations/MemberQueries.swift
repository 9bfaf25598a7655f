import Foundation
import GRDB
import ParleyProtocol
import ParleyRules

/// Who is or was a member of a conversation, and how they want it treated.
package struct MemberQueries {
    let database: Database

    /// What somebody was told of a conversation when he left it: its object as JSON; `nil` if he never was in it, or is
    /// in it again.
    package func leaveReply(of user: UserID, from conversation: ConversationKey) throws(StoreError) -> [UInt8]? {
        try database.row(
            #"SELECT farewell FROM departures WHERE conversation = ? AND "user" = ?"#, [conversation.value, user.text])?
            .bytes(0)
    }

    /// Whether somebody has left a conversation, or was taken out of it, and has not come back.
    package func hasLeft(_ user: UserID, from conversation: ConversationKey) throws -> Bool {
        try database.row(
            #"SELECT 1 FROM departures WHERE conversation = ? AND "user" = ?"#, [conversation.value, user.text]) != nil
    }

    /// Of how many groups somebody is a member because others have put them in; counted no further than `limit`.
    package func groupsByOthers(of user: UserID, atMost limit: Int) throws(StoreError) -> Int {
        try database.row(
            #"SELECT count(*) FROM (SELECT 1 FROM members WHERE "user" = ? AND added_by IS NOT NULL LIMIT ?) AS found"#,
            [user.text, limit])?[0] ?? 0
    }

    /// How the user wants the conversation treated; `nil` if he is not in it. A muting that is over counts as none.
    package func preferences(
        of user: UserID, in conversation: ConversationKey, now: Timestamp
    ) throws(StoreError) -> ConversationPreferences? {
        let row = try database.row(
            """
            SELECT is_muted, muted_until, is_archived, is_marked_unread FROM members
            WHERE conversation = ? AND "user" = ?
            """, [conversation.value, user.text])
        guard let row else { return nil }
        let muting: ConversationPreferences.Muting =
            if row[0] as Bool { row.optionalTime(1).map { .until($0) } ?? .forever } else { .off }
        return ConversationPreferences(muting: muting, isArchived: row[2], isMarkedUnread: row[3]).standing(at: now)
    }

    /// Whether a user shares any conversation with another that is open for both, as far as the user can tell: one that
    /// is hidden from the other would have closed theirs, had they not blocked its sender (`Relationship.isShared`). A
    /// direct one in which nobody has written is shared by nobody: whoever likes makes one.
    package func shareConversation(_ user: UserID, with other: UserID) throws -> Bool {
        try database.row(
            """
            SELECT 1 FROM members a JOIN members b ON b.conversation = a.conversation AND b.user = ?1 AND b.is_open = 1
            JOIN conversations c ON c.key = a.conversation
            WHERE a.user = ?2 AND a.is_open = 1 AND (c.type = 'group' OR c.last_seq > 0 AND NOT EXISTS (
                SELECT 1 FROM message_requests WHERE sender = ?2 AND recipient = ?1 AND state = 'hidden'))
            LIMIT 1
            """, [other.text, user.text]) != nil
    }
}

/// Writes members: who is one, with which role, and how they want a conversation treated.
package struct MemberWrites {
    let database: Database

    /// Makes somebody a member of a conversation; they have left none of it any more.
    ///
    /// - Parameter adder: who has put them in; `nil` where they have come by themselves.
    package func insert(
        _ member: MemberFacts, into conversation: ConversationState, addedBy adder: UserID?
    ) throws(StoreError) {
        let key = conversation.key.value
        // What was written before he came is as good as read.
        try database.run(
            """
            INSERT INTO members (conversation, "user", role, joined_at, is_open, joined_seq, visible_from, delivered_seq,
                read_seq, active_at, added_by)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [
                key, member.user.text, member.role.rawValue, member.joinedAt.milliseconds, member.isOpen,
                member.joinedSeq, member.visibleFrom, member.joinedSeq, member.joinedSeq,
                conversation.facts.updatedAt.milliseconds, adder?.text,
            ])
        try database.run(#"DELETE FROM departures WHERE conversation = ? AND "user" = ?"#, [key, member.user.text])
    }

    /// Takes somebody out of a conversation, with all that he had and wanted of it.
    package func delete(_ user: UserID, of conversation: ConversationKey) throws(StoreError) {
        try database.run(
            #"DELETE FROM members WHERE conversation = ? AND "user" = ?"#, [conversation.value, user.text])
        try database.run(
            #"DELETE FROM device_watermarks WHERE conversation = ? AND "user" = ?"#, [conversation.value, user.text])
    }

    /// - Parameter farewell: the conversation's object as he last sees it, as JSON.
    package func insertDeparture(
        of user: UserID, from conversation: ConversationKey, farewell: [UInt8], at now: Timestamp
    ) throws(StoreError) {
        try database.run(
            #"INSERT INTO departures (conversation, "user", left_at, farewell) VALUES (?, ?, ?, ?)"#,
            [conversation.value, user.text, now.milliseconds, Data(farewell)])
    }

    package func setRole(_ role: MemberRole, of user: UserID, in conversation: ConversationKey) throws(StoreError) {
        try database.run(
            #"UPDATE members SET role = ? WHERE conversation = ? AND "user" = ?"#,
            [role.rawValue, conversation.value, user.text])
    }

    /// - Parameter conversation: its log must be written back, or what is new in it would be archived with the rest.
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

    /// Sets for whom a direct conversation is open.
    package func setOpen(_ isOpen: Bool, for user: UserID, in conversation: ConversationKey) throws(StoreError) {
        try database.run(
            #"UPDATE members SET is_open = ? WHERE conversation = ? AND "user" = ?"#,
            [isOpen, conversation.value, user.text])
    }
}
