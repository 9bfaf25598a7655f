import GRDB
import ParleyProtocol

/// A user whose changed keys are to be announced to others.
package struct KeyChange: Hashable, Sendable {
    package let user: UserID
    package var state: State
    /// Whether the keys have changed again since the first was informed.
    package var isStale: Bool

    package enum State: Hashable, Sendable {
        /// Users after this one, in the order of ids, are still to be informed; without one, all are.
        case announcing(after: UserID?)
        /// All are informed.
        case announced
    }
}

/// Somebody who shares a conversation with a user whose keys have changed.
package struct KeyChangeHearer: Hashable, Sendable {
    package let user: UserID
    /// Whether the two are in a group together; else they have a direct conversation, open for both.
    package let isInGroup: Bool
}

/// Users whose keys have changed, as long as others have to be informed.
package struct KeyChangeQueries {
    let database: Database

    /// When the next change is to be announced, by the steady time.
    package func next() throws(StoreError) -> Timestamp? {
        try database.row("SELECT due_at FROM key_changes ORDER BY due_at LIMIT 1")?.time(0)
    }

    /// The user who has waited longest of those whose change is to be announced by now.
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

    /// The members of each of the user's conversations are looked at for each page. The joins are in this order
    /// whatever SQLite knows of the tables; whether a conversation is a group's is asked only of those that have such a
    /// member.
    static let hearing = """
        SELECT b."user", max(CASE WHEN c.type = 'group' THEN 1 ELSE 0 END)
        FROM members a CROSS JOIN members b CROSS JOIN conversations c
        WHERE a."user" = ?1 AND a.is_open = 1 AND b.conversation = a.conversation AND b."user" > ?2 AND b."user" <> ?1
            AND b.is_open = 1 AND c.key = a.conversation
        GROUP BY b."user" ORDER BY b."user" LIMIT ?3
        """

    /// Those with whom a user shares a conversation that is open for both, after `user` in the order of their ids.
    package func hearers(
        of user: UserID, after last: UserID?, limit: Int
    ) throws(StoreError) -> [KeyChangeHearer] {
        try database.list(KeyChangeQueries.hearing, [user.text, last?.text ?? "", limit]) {
            KeyChangeHearer(user: try $0.level(0), isInGroup: $0[1])
        }
    }
}

/// Writes of which users others have to be informed that their keys have changed.
package struct KeyChangeWrites {
    let database: Database

    /// Marks that a user's keys have changed. That is announced now, or when the last change of theirs is long enough
    /// ago.
    package func mark(of user: UserID, at steady: Timestamp) throws(StoreError) {
        try database.run(
            """
            INSERT INTO key_changes ("user", told_through, is_stale, due_at) VALUES (?, '', 0, ?)
            ON CONFLICT ("user") DO UPDATE SET is_stale = 1
            """, [user.text, steady.milliseconds])
    }

    /// Writes how far a user's change has been announced.
    ///
    /// - Parameter due: when there is more to do.
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
