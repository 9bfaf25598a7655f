import GRDB
import ParleyProtocol

// What devices may show, and who is to be told of it later.

/// Somebody whose quiet hours end.
package struct PushHold: Hashable, Sendable {
    package let user: UserID
    /// By the time of day.
    package let until: Timestamp

    package init(user: UserID, until: Timestamp) {
        self.user = user
        self.until = until
    }
}

/// Who is in their quiet hours, and what devices display.
package struct PushDisplayQueries {
    let database: Database

    // MARK: Quiet hours

    /// Whose quiet hours are over, the earliest first.
    ///
    /// - Parameter now: the time of day.
    package func endedHolds(at now: Timestamp, limit: Int) throws(StoreError) -> [PushHold] {
        let rows = try database.rows(
            #"SELECT "user", until FROM holds WHERE until <= ? ORDER BY until, "user" LIMIT ?"#,
            [now.milliseconds, limit])
        var holds: [PushHold] = []
        while let row = try rows.next() { holds.append(PushHold(user: try row.level(0), until: row.time(1))) }
        return holds
    }

    package func nextHoldEnd() throws(StoreError) -> Timestamp? {
        try database.row("SELECT min(until) FROM holds")?.optionalTime(0)
    }

    // MARK: What devices show

    /// Users whose devices may show something.
    package func users() throws(StoreError) -> [UserID] {
        let rows = try database.rows(#"SELECT DISTINCT "user" FROM displayed"#)
        var users: [UserID] = []
        while let row = try rows.next() { users.append(try row.level(0)) }
        return users
    }

    /// Those of these whose devices may display something, of whatever conversation.
    package func users(among users: some Collection<UserID>) throws(StoreError) -> Set<UserID> {
        var found: Set<UserID> = []
        try database.read(users.map { [.text($0.text)] }, key: "?") { users in
            #"SELECT DISTINCT "user" FROM displayed WHERE "user" IN (\#(users))"#
        } _: { row throws(StoreError) in
            found.insert(try row.level(0))
        }
        return found
    }

    /// Up to where somebody was notified of a conversation; `nil` if their devices show nothing of it, 0 if they show
    /// the number alone.
    package func seq(to user: UserID, of conversation: ConversationKey) throws(StoreError) -> Int? {
        try database.row(
            #"SELECT seq FROM displayed WHERE "user" = ? AND conversation = ?"#, [user.text, conversation.value])?[0]
    }
}

/// Writes who is in their quiet hours, and what devices display.
package struct PushDisplayWrites {
    let database: Database

    // MARK: Quiet hours

    /// Somebody is to get one digest when their quiet hours end.
    package func hold(_ holds: [PushHold]) throws(StoreError) {
        let holds = Dictionary(holds.map { ($0.user, $0) }) { $1 }.values
        try database.run(holds.map { [.text($0.user.text), .time($0.until)] }, row: "(?, ?)") { rows in
            """
            INSERT INTO holds ("user", until) VALUES \(rows)
            ON CONFLICT ("user") DO UPDATE SET until = excluded.until
            """
        }
    }

    /// The quiet hours of somebody are others now: when they end is asked again.
    package func endHold(of user: UserID, at now: Timestamp) throws(StoreError) {
        try database.run(
            #"UPDATE holds SET until = ? WHERE "user" = ? AND until > ?"#,
            [now.milliseconds, user.text, now.milliseconds])
    }

    package func removeHolds(of users: [UserID]) throws(StoreError) {
        try database.run(users.map { [.text($0.text)] }, row: "?") { users in
            #"DELETE FROM holds WHERE "user" IN (\#(users))"#
        }
    }

    // MARK: What devices show

    /// Somebody was notified of a conversation up to a place; of none, their devices show a number alone.
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

    /// Nothing of a conversation is shown any more up to a place. The user's devices may show a number still.
    ///
    /// - Returns: whether anything of the conversation was shown.
    package func clear(
        to user: UserID, of conversation: ConversationKey, upTo seq: Int
    ) throws(StoreError) -> Bool {
        let shown = try database.row(
            #"SELECT seq FROM displayed WHERE "user" = ? AND conversation = ? AND seq > 0"#,
            [user.text, conversation.value])
        guard shown != nil else { return false }
        try database.run(
            #"UPDATE displayed SET seq = 0 WHERE "user" = ? AND conversation = ? AND seq <= ?"#,
            [user.text, conversation.value, seq])
        return true
    }

    /// A user's devices show nothing any more, not even a number.
    package func remove(to user: UserID) throws(StoreError) {
        try database.run(#"DELETE FROM displayed WHERE "user" = ?"#, [user.text])
    }
}
