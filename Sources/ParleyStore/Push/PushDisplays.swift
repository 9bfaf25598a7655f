import ParleyProtocol

/// A user in quiet hours who gets a digest when they end.
package struct PushHold: Hashable, Sendable {
    package let user: UserID
    /// By the time of day.
    package let until: Timestamp

    package init(user: UserID, until: Timestamp) { (self.user, self.until) = (user, until) }
}

/// Holds of quiet hours, and what devices display.
package struct PushDisplayQueries {
    let database: Database

    // MARK: Holds

    /// Holds whose quiet hours have ended, the earliest first.
    ///
    /// - Parameter now: the time of day.
    package func endedHolds(at now: Timestamp, limit: Int) throws(StoreError) -> [PushHold] {
        try database.list(
            #"SELECT "user", until FROM holds WHERE until <= ? ORDER BY until, "user" LIMIT ?"#,
            [now.milliseconds, limit]
        ) { row in PushHold(user: try row.level(0), until: row.time(1)) }
    }

    package func nextHoldEnd() throws(StoreError) -> Timestamp? {
        try database.row("SELECT min(until) FROM holds")?.optionalTime(0)
    }

    // MARK: Displays

    /// Users whose devices may display something.
    package func users() throws(StoreError) -> [UserID] {
        try database.list(#"SELECT DISTINCT "user" FROM displayed"#) { try $0.level(0) }
    }

    package func users(among users: some Collection<UserID>) throws(StoreError) -> Set<UserID> {
        var found: Set<UserID> = []
        try database.read(users.map { [.text($0.text)] }, key: "?") { users in
            #"SELECT DISTINCT "user" FROM displayed WHERE "user" IN (\#(users))"#
        } _: { row in
            found.insert(try row.level(0))
        }
        return found
    }

    /// The last message of a conversation that a user was notified of: `nil` where their devices display nothing of it,
    /// 0 where they display the badge alone.
    package func seq(to user: UserID, of conversation: ConversationKey) throws(StoreError) -> Int? {
        try database.row(
            #"SELECT seq FROM displayed WHERE "user" = ? AND conversation = ?"#, [user.text, conversation.value])?[0]
    }
}

/// Writes holds of quiet hours, and what devices display.
package struct PushDisplayWrites {
    let database: Database

    // MARK: Holds

    package func hold(_ holds: [PushHold]) throws(StoreError) {
        let holds = Dictionary(holds.map { ($0.user, $0) }) { $1 }.values
        try database.run(holds.map { [.text($0.user.text), .time($0.until)] }, row: "(?, ?)") { rows in
            """
            INSERT INTO holds ("user", until) VALUES \(rows)
            ON CONFLICT ("user") DO UPDATE SET until = excluded.until
            """
        }
    }

    /// Ends a hold, so that the user's quiet hours are read again.
    package func endHold(of user: UserID, at now: Timestamp) throws(StoreError) {
        try database.run(
            #"UPDATE holds SET until = ? WHERE "user" = ? AND until > ?"#,
            [now.milliseconds, user.text, now.milliseconds])
    }

    /// - Throws: `.conflict` where one of them was removed already, by another gateway.
    package func removeHolds(of users: [UserID]) throws(StoreError) {
        var count = 0
        try database.read(users.map { [.text($0.text)] }, key: "?") { users in
            #"DELETE FROM holds WHERE "user" IN (\#(users)) RETURNING "user""#
        } _: { _ in
            count += 1
        }
        guard count == users.count else { throw .conflict(message: "another gateway has sent the same digests") }
    }

    // MARK: Displays

    /// Users were notified of conversations up to a message; without a conversation their devices display a badge
    /// alone.
    package func set(_ shown: [(user: UserID, conversation: ConversationKey?, seq: Int)]) throws(StoreError) {
        // No row twice in one statement: that is an error in PostgreSQL.
        var ends: [UserID: [ConversationKey?: Int]] = [:]
        for (user, conversation, seq) in shown {
            ends[user, default: [:]][conversation] = max(seq, ends[user]?[conversation] ?? 0)
        }
        let rows = ends.flatMap { user, ends in
            ends.map { [BoundValue.text(user.text), .key($0 ?? ConversationKey(value: 0)), .integer($1)] }
        }
        try database.run(rows, row: "(?, ?, ?)") { rows in
            """
            INSERT INTO displayed ("user", conversation, seq) VALUES \(rows)
            ON CONFLICT ("user", conversation) DO UPDATE SET seq = CASE
                WHEN excluded.seq > displayed.seq THEN excluded.seq ELSE displayed.seq END
            """
        }
    }

    /// A user's devices display nothing of a conversation up to a message any more, but may display a badge.
    ///
    /// - Returns: whether they displayed anything of it.
    package func clear(
        to user: UserID, of conversation: ConversationKey, upTo seq: Int
    ) throws(StoreError) -> Bool {
        try database.change(
            """
            UPDATE displayed SET seq = CASE WHEN seq <= ? THEN 0 ELSE seq END
            WHERE "user" = ? AND conversation = ? AND seq > 0
            """, [seq, user.text, conversation.value]) > 0
    }

    /// A user's devices display nothing any more, not even a badge.
    package func remove(to user: UserID) throws(StoreError) {
        try database.run(#"DELETE FROM displayed WHERE "user" = ?"#, [user.text])
    }
}
