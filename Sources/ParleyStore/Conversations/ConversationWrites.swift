import ParleyProtocol
import ParleyRules

package struct NewConversation: Sendable {
    package let id: ConversationID
    package let type: ConversationType
    package let name: String?
    package let creator: UserID
    package let members: [(user: UserID, role: MemberRole)]
    /// Members for whom it is not open.
    package let closedFor: Set<UserID>
    package let epoch: String
    package let digest: [UInt8]?

    package init(
        id: ConversationID, type: ConversationType, name: String?, creator: UserID,
        members: [(user: UserID, role: MemberRole)], closedFor: Set<UserID> = [], epoch: String, digest: [UInt8]?
    ) {
        self.id = id
        self.type = type
        self.name = name
        self.creator = creator
        self.members = members
        self.closedFor = closedFor
        self.epoch = epoch
        self.digest = digest
    }

    /// Who has added a member: the creator of a group.
    fileprivate func adder(of user: UserID) -> UserID? {
        switch type {
        case .direct: nil
        case .group: user == creator ? nil : creator
        }
    }

    /// See `OpenConversationsRule`: it counts for its creator, if it is open for them.
    fileprivate func isCounted(for user: UserID) -> Bool { user == creator && !closedFor.contains(user) }
}

package struct ConversationWrites {
    let database: Database

    package func insert(_ conversation: NewConversation, at now: Timestamp) throws(StoreError) -> ConversationKey {
        let key: ConversationKey = try database.insert(
            """
            INSERT INTO conversations (id, type, name, created_by, created_at, updated_at, epoch, request_digest)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [
                conversation.id.blob, conversation.type.rawValue, conversation.name, conversation.creator.text,
                now.milliseconds, now.milliseconds, conversation.epoch, conversation.digest,
            ])
        for member in conversation.members {
            try database.run(
                """
                INSERT INTO members (conversation, "user", role, is_open, joined_at, active_at, added_by, is_counted)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?)
                """,
                [
                    key.value, member.user.text, member.role.rawValue,
                    !conversation.closedFor.contains(member.user), now.milliseconds, now.milliseconds,
                    conversation.adder(of: member.user)?.text, conversation.isCounted(for: member.user),
                ])
        }
        return key
    }

    /// A member creates a direct conversation that exists without their knowledge: they see it as created by
    /// themselves, now.
    package func setMade(by user: UserID, at now: Timestamp, in conversation: ConversationState) throws(StoreError) {
        try database.run(
            """
            UPDATE members SET made_at = ?1, own_updated_at = ?2, active_at = ?2 WHERE conversation = ?3 AND "user" = ?4
            """,
            [
                now.milliseconds, conversation.facts.end(seenBy: user).updatedAt.milliseconds, conversation.key.value,
                user.text,
            ])
    }

    /// Writes the end of a member's withheld records; a new message brings the conversation back from their archive.
    package func updateOwnEnd(of user: UserID, in conversation: ConversationState) throws(StoreError) {
        guard let member = conversation.facts.member(user) else { return }
        let (end, seen) = (member.ownEnd, conversation.facts.end(seenBy: user))
        try database.run(
            """
            UPDATE members SET own_last_seq = ?1, own_last_message_seq = ?2, own_updated_at = ?3, active_at = ?3,
                is_archived = CASE WHEN own_last_message_seq < ?2 THEN 0 ELSE is_archived END
            WHERE conversation = ?4 AND "user" = ?5
            """,
            [
                end.lastSeq, end.lastMessageSeq, seen.updatedAt.milliseconds, conversation.key.value, user.text,
            ])
    }

    /// Writes the end of a log; see `updateLogs`.
    package func updateLog(_ conversation: inout ConversationState) throws(StoreError) {
        guard let updated = try updateLogs([conversation]).first else { return }
        conversation = updated
    }

    /// Writes the ends of logs: a new message brings a conversation back from every archive, and its members'
    /// `active_at` is advanced when it lags too far.
    ///
    /// - Returns: the conversations as stored.
    func updateLogs(_ conversations: [ConversationState]) throws(StoreError) -> [ConversationState] {
        try database.run(
            conversations.map { conversation in
                let facts = conversation.facts
                return [
                    .key(conversation.key), .integer(facts.lastSeq), .integer(facts.lastMessageSeq),
                    .time(facts.updatedAt),
                ]
            }, row: "(CAST(? AS BIGINT), CAST(? AS BIGINT), CAST(? AS BIGINT), CAST(? AS BIGINT))"
        ) { rows in
            """
            UPDATE conversations SET last_seq = v.column2, last_message_seq = v.column3, updated_at = v.column4
            FROM (VALUES \(rows)) AS v WHERE conversations.key = v.column1
            """
        }
        return try updateMembers(of: conversations)
    }

    private func updateMembers(
        of conversations: [ConversationState]
    ) throws(StoreError) -> [ConversationState] {
        var updated = conversations
        var (returning, setBack, lagging): ([[BoundValue]], [[BoundValue]], [[BoundValue]]) = ([], [], [])
        for index in updated.indices {
            let (key, facts) = (updated[index].key, updated[index].facts)
            if let archivedThrough = updated[index].archivedThrough, archivedThrough < facts.lastMessageSeq {
                returning.append([.key(key)])
                updated[index].archivedThrough = nil
            }
            if facts.updatedAt < updated[index].storedUpdatedAt {
                setBack.append([.key(key), .time(facts.updatedAt)])
                updated[index].earliestActivity = facts.updatedAt
            }
            updated[index].storedUpdatedAt = facts.updatedAt
            if updated[index].earliestActivity.advanced(by: ActivityIndexLag.limit) < facts.updatedAt {
                lagging.append([.key(key), .time(facts.updatedAt)])
                updated[index].earliestActivity = facts.updatedAt
            }
        }
        try database.run(returning, row: "?") { keys in
            "UPDATE members SET is_archived = 0 WHERE conversation IN (\(keys)) AND is_archived = 1"
        }
        // Where the clock was set back, the times of members must not stay ahead.
        let row = "(CAST(? AS BIGINT), CAST(? AS BIGINT))"
        try database.run(setBack, row: row) { rows in
            """
            UPDATE members SET active_at = v.column2, own_updated_at = CASE
                WHEN members.own_updated_at > v.column2 THEN v.column2 ELSE members.own_updated_at END
            FROM (VALUES \(rows)) AS v WHERE members.conversation = v.column1
            """
        }
        try database.run(lagging, row: row) { rows in
            """
            UPDATE members SET active_at = v.column2 FROM (VALUES \(rows)) AS v
            WHERE members.conversation = v.column1
            """
        }
        return updated
    }

    package func rename(_ conversation: ConversationKey, to name: String?) throws(StoreError) {
        try database.run("UPDATE conversations SET name = ? WHERE key = ?", [name, conversation.value])
    }
}
