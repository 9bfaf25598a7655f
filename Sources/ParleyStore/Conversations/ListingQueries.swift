import ParleyProtocol
import ParleyRules

package struct ListingQueries {
    let database: Database

    /// An entry of the user's list; `nil` for a conversation that they are not in.
    package func listing(_ key: ConversationKey, for user: UserID, now: Timestamp) throws(StoreError)
        -> Conversation?
    {
        try listing(key, for: user, now: now) { span throws(StoreError) in
            .counted(try UnreadQueries(database: database).count(span))
        }
    }

    /// The same without the unread count, whose span is returned beside it.
    package func uncounted(
        _ key: ConversationKey, for user: UserID, now: Timestamp
    ) throws(StoreError) -> (listing: Conversation, unread: UnreadSpan)? {
        var unread: UnreadSpan?
        let listing = try listing(key, for: user, now: now) { span in
            unread = span
            return .countedLater
        }
        guard let listing, let unread else { return nil }
        return (listing, unread)
    }

    private func listing(
        _ key: ConversationKey, for user: UserID, now: Timestamp, unread: (UnreadSpan) throws(StoreError) -> UnreadCount
    ) throws(StoreError) -> Conversation? {
        guard var conversation = try ConversationQueries(database: database).object(key, seenBy: user),
            let lastSeq = conversation.lastSeq,
            let preferences = try MemberQueries(database: database).preferences(of: user, in: key, now: now),
            let member = try database.row(
                """
                SELECT m.read_seq, m.visible_from,
                    CASE WHEN m.own_last_message_seq > c.last_message_seq THEN m.own_last_message_seq
                        ELSE c.last_message_seq END,
                    m.joined_seq
                FROM members m JOIN conversations c ON c.key = m.conversation WHERE m.conversation = ? AND m.user = ?
                """, [key.value, user.text])
        else { return nil }
        let (readSeq, visibleFrom, lastMessageSeq) = (member[0] as Int, member[1] as Int, member[2] as Int)
        let last =
            lastMessageSeq > visibleFrom
            ? try database.row(
                "SELECT \(RecordColumn.list) FROM records r WHERE r.conversation = ? AND r.seq = ?",
                [key.value, lastMessageSeq]) : nil
        let (id, epoch) = (conversation.id, conversation.epoch)
        conversation.listEntry = Conversation.ListEntry(
            lastMessage: try last.map { row throws(StoreError) in
                try MessageRecord(row, conversation: id, epoch: epoch)
            },
            unread: try unread(
                UnreadSpan(
                    user: user, conversation: key, after: max(readSeq, member[3] as Int), through: lastSeq)),
            lastReadSeq: readSeq, preferences: preferences)
        return conversation
    }
}
