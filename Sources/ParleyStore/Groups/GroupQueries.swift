import ParleyProtocol
import ParleyRules

/// A training group. Its members are those of its conversation.
package struct GroupState: Hashable, Sendable {
    package let key: GroupKey
    package let id: GroupID
    package let conversation: ConversationKey
    package let conversationID: ConversationID
    /// The IANA name of the zone in which its weeks begin.
    package let timeZone: String
}

/// Training groups, also ended ones, which have no members.
package struct GroupQueries {
    let database: Database

    package func group(_ id: GroupID) throws(StoreError) -> GroupState? {
        try database.first("\(GroupQueries.select) WHERE g.id = ?", [id.blob]) { try GroupState($0) }
    }

    /// The group whose conversation this is.
    package func group(of conversation: ConversationKey) throws(StoreError) -> GroupState? {
        try database.first("\(GroupQueries.select) WHERE g.conversation = ?", [conversation.value]) {
            try GroupState($0)
        }
    }

    /// A user's groups in the order of their creation.
    package func groups(of user: UserID) throws(StoreError) -> [GroupState] {
        try groups(of: [user])[user] ?? []
    }

    /// The groups of each user in the order of their creation.
    package func groups(of users: some Collection<UserID>) throws(StoreError) -> [UserID: [GroupState]] {
        var groups: [UserID: [GroupState]] = [:]
        try database.read(users.map { [.text($0.text)] }, key: "?") { users in
            """
            SELECT g.key, g.id, g.conversation, c.id, g.time_zone, m.user FROM members m
            JOIN groups g ON g.conversation = m.conversation JOIN conversations c ON c.key = g.conversation
            WHERE m.user IN (\(users)) ORDER BY g.key
            """
        } _: { row in
            groups[try row.level(5), default: []].append(try GroupState(row))
        }
        return groups
    }

    /// The digest of the request that created the group.
    package func digest(of id: GroupID) throws(StoreError) -> [UInt8]? {
        try database.row("SELECT request_digest FROM groups WHERE id = ?", [id.blob])?.bytes(0)
    }

    package func object(_ group: GroupState) throws(StoreError) -> TrainingGroup? {
        let conversation = try ConversationQueries(database: database).object(group.conversation, seenBy: nil)
        return conversation.map { TrainingGroup(group.id, timeZone: group.timeZone, of: $0) }
    }

    /// Every group that has members, with its conversation.
    package func readAll(_ body: (GroupID, ConversationID) throws -> Void) throws {
        try database.each(
            """
            SELECT g.id, c.id FROM groups g JOIN conversations c ON c.key = g.conversation
            WHERE EXISTS (SELECT 1 FROM members WHERE conversation = g.conversation)
            """
        ) { row in try body(try row.uuid(0), try row.uuid(1)) }
    }

    private static let select = """
        SELECT g.key, g.id, g.conversation, c.id, g.time_zone FROM groups g
        JOIN conversations c ON c.key = g.conversation
        """
}

extension GroupState {
    /// From five columns: key, id, conversation, its id, time zone.
    init(_ row: some ColumnReader, from column: Int = 0) throws(StoreError) {
        self.init(
            key: row.key(column), id: try row.uuid(column + 1), conversation: row.key(column + 2),
            conversationID: try row.uuid(column + 3), timeZone: row.text(column + 4))
    }
}

package struct GroupWrites {
    let database: Database

    /// - Parameter digest: of the request, 16 bytes.
    package func insert(
        _ id: GroupID, of conversation: ConversationState, timeZone: String, digest: [UInt8]
    ) throws(StoreError) -> GroupState {
        let key: GroupKey = try database.insert(
            "INSERT INTO groups (id, conversation, time_zone, request_digest) VALUES (?, ?, ?, ?)",
            [id.blob, conversation.key.value, timeZone, digest])
        return GroupState(
            key: key, id: id, conversation: conversation.key, conversationID: conversation.facts.id,
            timeZone: timeZone)
    }

    /// Stores that a user was removed: no existing invite brings them back.
    package func insertRemoval(of user: UserID, from group: GroupKey) throws(StoreError) {
        try database.run(
            """
            INSERT INTO group_removals (of_group, "user", last_invite)
            VALUES (?, ?, (SELECT coalesce(max(key), 0) FROM invites))
            ON CONFLICT (of_group, "user") DO UPDATE SET last_invite = excluded.last_invite
            """, [group.value, user.text])
    }
}
