import ParleyProtocol
import ParleyRules

/// A conversation as the writer sees it.
package struct ConversationState: Sendable {
    package let key: ConversationKey
    package var facts: ConversationFacts
    /// The earliest of its members' `active_at`.
    var earliestActivity: Timestamp
    /// The seq of the last message when a member archived it; `nil` if no member has.
    var archivedThrough: Int?
    /// Of the two of a direct conversation; only `withContact` reads it.
    package var contact: Contact?
    /// `facts.updatedAt` as it is stored.
    var storedUpdatedAt: Timestamp

    /// Copies how it is stored from a state that was written after this one was read.
    package mutating func mergeStored(from written: ConversationState) {
        (storedUpdatedAt, earliestActivity) = (written.storedUpdatedAt, written.earliestActivity)
    }
}

package struct ConversationQueries {
    let database: Database

    package func conversation(_ id: ConversationID) throws(StoreError) -> ConversationState? {
        try conversations([id])[id]
    }

    /// With the contact of a direct one.
    package func withContact(_ id: ConversationID) throws(StoreError) -> ConversationState? {
        try withContacts([id])[id]
    }

    private func conversations(
        _ ids: some Collection<ConversationID>
    ) throws(StoreError) -> [ConversationID: ConversationState] {
        var (states, found): ([ConversationID: ConversationState], [ConversationKey: ConversationID]) = ([:], [:])
        // In the order of their ids, so that two transactions that lock several do not wait for each other.
        let ordered = ids.sorted { $0.value.bytes.lexicographicallyPrecedes($1.value.bytes) }
        try database.read(ordered.map { [.id($0)] }, key: "?") { ids in
            """
            SELECT id, key, type, epoch, last_seq, last_message_seq, updated_at FROM conversations WHERE id IN (\(ids))
            ORDER BY id\(database.rowLock)
            """
        } _: { row in
            let (id, key): (ConversationID, ConversationKey) = (try row.uuid(0), row.key(1))
            found[key] = id
            states[id] = ConversationState(
                key: key,
                facts: ConversationFacts(
                    id: id, type: try row.choice(2), epoch: row.text(3), lastSeq: row.integer(4),
                    lastMessageSeq: row.integer(5), updatedAt: row.time(6), members: []),
                earliestActivity: row.time(6), archivedThrough: nil, storedUpdatedAt: row.time(6))
        }
        // By the ids, too, so that both are asked for at once; what a lock lets in between is seen.
        try database.read(ordered.map { [.id($0)] }, key: "?") { ids in
            """
            SELECT m.conversation, m."user", m.role, m.joined_at, m.is_open, m.joined_seq, m.visible_from, m.active_at,
                m.is_archived, m.own_last_seq, m.own_last_message_seq, m.own_updated_at
            FROM conversations c CROSS JOIN members m WHERE c.id IN (\(ids)) AND m.conversation = c.key
            ORDER BY m.conversation, m."user"
            """
        } _: { row in
            guard let id = found[row.key(0)], var state = states[id] else { return }
            states[id] = nil
            state.facts.members.append(
                MemberFacts(
                    user: try row.level(1), role: try row.choice(2), joinedAt: row.time(3), isOpen: row.isTrue(4),
                    joinedSeq: row.integer(5), visibleFrom: row.integer(6),
                    ownEnd: LogEnd(
                        lastSeq: row.integer(9), lastMessageSeq: row.integer(10), updatedAt: row.time(11))))
            state.earliestActivity = min(state.earliestActivity, row.time(7))
            if row.isTrue(8) { state.archivedThrough = state.facts.lastMessageSeq }
            states[id] = state
        }
        return states
    }

    /// With the contacts of direct ones.
    func withContacts(
        _ ids: some Collection<ConversationID>
    ) throws(StoreError) -> [ConversationID: ConversationState] {
        var states = try conversations(ids)
        var pairs: [ConversationID: (UserID, UserID)] = [:]
        for (id, state) in states {
            switch state.facts.type {
            case .direct:
                let users = state.facts.users
                guard users.count == 2 else { throw .inconsistent(.notTwoMembers) }
                pairs[id] = (users[0], users[1])
            case .group: break
            }
        }
        guard !pairs.isEmpty else { return states }
        let contacts = try ContactQueries(database: database).contacts(Array(pairs.values))
        let byUsers = Dictionary(contacts.map { ($0.users, $0) }, uniquingKeysWith: { first, _ in first })
        for (id, (one, other)) in pairs {
            guard let contact = byUsers[[one, other]] else { throw .inconsistent(.notTwoMembers) }
            states[id]?.contact = contact
        }
        return states
    }

    /// The object as a member sees it, or without one as all do.
    package func object(_ key: ConversationKey, seenBy user: UserID?) throws(StoreError) -> Conversation? {
        guard
            let row = try database.row(
                """
                SELECT c.id, c.type, c.name, CASE WHEN m.made_at IS NULL THEN c.created_by ELSE m.user END,
                    coalesce(m.made_at, c.created_at),
                    CASE WHEN m.own_updated_at > c.updated_at THEN m.own_updated_at ELSE c.updated_at END, c.epoch,
                    CASE WHEN m.own_last_seq > c.last_seq THEN m.own_last_seq ELSE c.last_seq END, m.made_at
                FROM conversations c LEFT JOIN members m ON m.conversation = c.key AND m.user = ? WHERE c.key = ?
                """, [user?.text, key.value])
        else { return nil }
        let (id, type, name, creator): (ConversationID, ConversationType, String?, UserID) = (
            try row.uuid(0), try row.choice(1), row[2], try row.level(3)
        )
        let (createdAt, updatedAt, epoch, lastSeq) = (row.time(4), row.time(5), row[6] as String, row[7] as Int)
        let madeAt = row.optionalTime(8)
        let members = try database.list(
            """
            SELECT m.user, u.display_name, m.role, m.joined_at FROM members m JOIN users u ON u.id = m.user
            WHERE m.conversation = ? ORDER BY m.joined_at, m.user
            """, [key.value]
        ) { row in
            Member(
                user: try row.level(0), username: row[1], role: .known(try row.choice(2)),
                joinedAt: madeAt ?? row.time(3))
        }
        return Conversation(
            id: id, type: .known(type), name: name, createdBy: creator, createdAt: createdAt, updatedAt: updatedAt,
            epoch: epoch, lastSeq: lastSeq, members: members)
    }

    /// Its creator, and for a group the digest of the request.
    package func origin(of id: ConversationID) throws(StoreError) -> (creator: UserID, digest: [UInt8]?)? {
        try database.first("SELECT created_by, request_digest FROM conversations WHERE id = ?", [id.blob]) {
            (try $0.level(0), $0.bytes(1))
        }
    }

    /// Of all users.
    package func count() throws(StoreError) -> Int {
        try database.row("SELECT count(*) FROM conversations")?[0] ?? 0
    }
}
