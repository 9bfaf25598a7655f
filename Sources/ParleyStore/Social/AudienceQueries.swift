import ParleyProtocol

/// All audiences, for the broker's plugin.
package struct AudienceQueries {
    let database: Database

    /// Every conversation with the members for whom it is open, and their silences.
    package func readAll(_ body: (ConversationID, [UserID], [Silence]) throws -> Void) throws {
        var current: ConversationID?
        var members: [(user: UserID, ownEnd: Int, joinedSeq: Int, blocks: Bool)] = []
        func finish() throws {
            guard let current else { return }
            let silences = members.compactMap { member in
                let withheld = members.lazy.filter { $0.user != member.user }.map(\.ownEnd).max() ?? 0
                return member.blocks
                    ? Silence(of: member.user)
                    : Silence(of: member.user, withheld: withheld, joinedSeq: member.joinedSeq)
            }
            try body(current, members.map(\.user), silences)
        }
        try database.each(
            """
            WITH blockers AS MATERIALIZED (
                SELECT a.conversation AS key, a.user FROM blocks x JOIN members a ON a.user = x.blocker
                JOIN members b ON b.conversation = a.conversation AND b.user = x.blocked
                JOIN conversations c ON c.key = a.conversation AND c.type = 'direct'
            )
            SELECT c.id, m.user, m.own_last_seq, m.joined_seq,
                (m.conversation, m.user) IN (SELECT key, "user" FROM blockers)
            FROM members m JOIN conversations c ON c.key = m.conversation WHERE m.is_open = 1
            ORDER BY m.conversation, m.user
            """
        ) { row in
            let id: ConversationID = try row.uuid(0)
            if id != current {
                try finish()
                members.removeAll(keepingCapacity: true)
            }
            current = id
            members.append((user: try row.level(1), ownEnd: row[2], joinedSeq: row[3], blocks: row[4]))
        }
        try finish()
    }

    /// Every pair of friends, once.
    package func readFriendships(_ body: (UserID, UserID) throws -> Void) throws {
        try database.each(
            """
            SELECT one.follower, one.followed FROM follows one
            JOIN follows other ON other.follower = one.followed AND other.followed = one.follower
            WHERE one.follower < one.followed
            """
        ) { row in try body(try row.level(0), try row.level(1)) }
    }
}
