import ParleyProtocol

package struct KeyChange: Hashable, Sendable {
    package let user: UserID
    package var state: State
    /// Whether the keys have changed again since the first announcement.
    package var isStale: Bool

    package enum State: Hashable, Sendable {
        /// Users up to this one, by id, are informed; without one, none is.
        case announcing(after: UserID?)
        case announced
    }
}

package struct KeyChangeHearer: Hashable, Sendable {
    package let user: UserID
    /// Whether they share a group with the user; else a direct conversation, open for both.
    package let isInGroup: Bool
}

package struct KeyChangeQueries {
    let database: Database

    /// By the steady time.
    package func next() throws(StoreError) -> Timestamp? {
        try database.row("SELECT due_at FROM key_changes ORDER BY due_at LIMIT 1")?.time(0)
    }

    /// The change that is due the longest.
    package func due(at steady: Timestamp) throws(StoreError) -> KeyChange? {
        try database.first(
            #"SELECT "user", told_through, is_stale FROM key_changes WHERE due_at <= ? ORDER BY due_at, "user" LIMIT 1"#,
            [steady.milliseconds]
        ) { row in
            let state: KeyChange.State =
                switch row[1] as String? {
                case nil: .announced
                case ""?: .announcing(after: nil)
                case _?: .announcing(after: try row.level(1))
                }
            return KeyChange(user: try row.level(0), state: state, isStale: row[2])
        }
    }

    /// Each page scans the members of the user's conversations. CROSS JOIN fixes the order, so that the type is read
    /// only of conversations with such a member.
    static let hearing = """
        SELECT b."user", max(CASE WHEN c.type = 'group' THEN 1 ELSE 0 END)
        FROM members a CROSS JOIN members b CROSS JOIN conversations c
        WHERE a."user" = ?1 AND a.is_open = 1 AND b.conversation = a.conversation AND b."user" > ?2 AND b."user" <> ?1
            AND b.is_open = 1 AND c.key = a.conversation
        GROUP BY b."user" ORDER BY b."user" LIMIT ?3
        """

    /// Users with whom a user shares a conversation that is open for both, by id, after one.
    package func hearers(
        of user: UserID, after last: UserID?, limit: Int
    ) throws(StoreError) -> [KeyChangeHearer] {
        try database.list(KeyChangeQueries.hearing, [user.text, last?.text ?? "", limit]) {
            KeyChangeHearer(user: try $0.level(0), isInGroup: $0[1])
        }
    }
}

package struct KeyChangeWrites {
    let database: Database

    /// Stores a change, due now or after the user's last change.
    package func mark(of user: UserID, at steady: Timestamp) throws(StoreError) {
        try database.run(
            """
            INSERT INTO key_changes ("user", told_through, is_stale, due_at) VALUES (?, '', 0, ?)
            ON CONFLICT ("user") DO UPDATE SET is_stale = 1
            """, [user.text, steady.milliseconds])
    }

    /// - Parameter due: of the next part.
    package func update(_ change: KeyChange, dueAt due: Timestamp) throws(StoreError) {
        let toldThrough: String? =
            switch change.state {
            case .announcing(let last): last?.text ?? ""
            case .announced: nil
            }
        try database.run(
            #"UPDATE key_changes SET told_through = ?, is_stale = ?, due_at = ? WHERE "user" = ?"#,
            [toldThrough, change.isStale, due.milliseconds, change.user.text])
    }

    package func remove(of user: UserID) throws(StoreError) {
        try database.run(#"DELETE FROM key_changes WHERE "user" = ?"#, [user.text])
    }
}
