import GRDB
import ParleyProtocol

extension Snapshot {
    /// Every conversation with the members whose own it is, and whether it is silent: a direct one in which one has
    /// blocked the other. For the broker.
    package func everyAudience(_ body: (ConversationID, [UserID], _ isSilent: Bool) throws -> Void) throws {
        let rows = try database.rows(
            """
            WITH silent AS MATERIALIZED (
                SELECT DISTINCT a.conversation AS key FROM blocks x JOIN members a ON a.user = x.blocker
                JOIN members b ON b.conversation = a.conversation AND b.user = x.blocked
                JOIN conversations c ON c.key = a.conversation AND c.type = 'direct'
            )
            SELECT c.id, m.user, m.conversation IN silent FROM members m
            JOIN conversations c ON c.key = m.conversation WHERE m.is_open = 1 ORDER BY m.conversation
            """)
        var current: (id: ConversationID, isSilent: Bool)?
        var members: [UserID] = []
        while let row = try rows.next() {
            let id: ConversationID = try row.uuid(0)
            if let last = current, last.id != id {
                try body(last.id, members, last.isSilent)
                members.removeAll(keepingCapacity: true)
            }
            current = (id, row[2])
            members.append(try row.level(1))
        }
        if let current { try body(current.id, members, current.isSilent) }
    }

    /// Every two people who follow each other, each pair once. For the broker.
    package func everyFriendship(_ body: (UserID, UserID) throws -> Void) throws {
        let rows = try database.rows(
            """
            SELECT one.follower, one.followed FROM follows one
            JOIN follows other ON other.follower = one.followed AND other.followed = one.follower
            WHERE one.follower < one.followed
            """)
        while let row = try rows.next() { try body(try row.level(0), try row.level(1)) }
    }
}
