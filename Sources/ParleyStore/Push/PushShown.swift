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

extension PushJobQueries {
    // MARK: Quiet hours

    /// Whose quiet hours are over, the earliest first.
    ///
    /// - Parameter now: the time of day.
    package func endedHolds(at now: Timestamp, limit: Int) throws(StoreError) -> [PushHold] {
        let rows = try database.rows(
            #"SELECT "user", until FROM push_holds WHERE until <= ? ORDER BY until, "user" LIMIT ?"#,
            [now.milliseconds, limit])
        var holds: [PushHold] = []
        while let row = try rows.next() { holds.append(PushHold(user: try row.level(0), until: row.time(1))) }
        return holds
    }

    package func nextHoldEnd() throws(StoreError) -> Timestamp? {
        try database.row("SELECT min(until) FROM push_holds")?.optionalTime(0)
    }

    // MARK: What devices show

    /// Users whose devices may show something.
    package func usersShown() throws(StoreError) -> [UserID] {
        let rows = try database.rows(#"SELECT DISTINCT "user" FROM push_shown"#)
        var users: [UserID] = []
        while let row = try rows.next() { users.append(try row.level(0)) }
        return users
    }

    /// Members of a conversation whose devices may show something, of whatever conversation.
    package func membersShown(of conversation: ConversationKey) throws(StoreError) -> Set<UserID> {
        let rows = try database.rows(
            """
            SELECT m."user" FROM members m
            WHERE m.conversation = ? AND EXISTS (SELECT 1 FROM push_shown s WHERE s."user" = m."user")
            """, [conversation.value])
        var users: Set<UserID> = []
        while let row = try rows.next() { users.insert(try row.level(0)) }
        return users
    }

    /// Up to where somebody was notified of a conversation; `nil` if their devices show nothing of it, 0 if they show the number
    /// alone.
    package func shown(to user: UserID, of conversation: ConversationKey) throws(StoreError) -> Int? {
        try database.row(
            #"SELECT seq FROM push_shown WHERE "user" = ? AND conversation = ?"#, [user.text, conversation.value])?[0]
    }

    /// Of these recipients of messages, how far those have read who are members still, and between whom and the sender nobody
    /// has blocked the other since.
    package func readSeqs(_ recipients: some Collection<Recipient>) throws(StoreError) -> [Recipient: Int] {
        var found: [Recipient: Int] = [:]
        let keys = Set(recipients).map {
            [BoundValue.text($0.user.text), .key($0.conversation), .text($0.sender.text)]
        }
        try database.read(keys, key: "(CAST(? AS TEXT), CAST(? AS BIGINT), CAST(? AS TEXT))") { keys in
            """
            SELECT m."user", m.conversation, k.column3, m.read_seq FROM (VALUES \(keys)) AS k
            CROSS JOIN members m CROSS JOIN conversations c
            WHERE m.conversation = k.column2 AND m."user" = k.column1 AND c.key = m.conversation
                AND NOT EXISTS (SELECT 1 FROM blocks b WHERE b.blocker = k.column1 AND b.blocked = k.column3)
                AND NOT (c.type = 'direct' AND EXISTS (
                    SELECT 1 FROM blocks b WHERE b.blocker = k.column3 AND b.blocked = k.column1))
            """
        } _: { row throws(StoreError) in
            let recipient = Recipient(
                user: try row.level(0), conversation: ConversationKey(value: Int64(row.integer(1))),
                sender: try row.level(2))
            found[recipient] = row.integer(3)
        }
        return found
    }

    /// Those of these messages whose ciphertext is there still.
    package func present(at positions: some Collection<StreamPosition>) throws(StoreError) -> Set<StreamPosition> {
        var found: Set<StreamPosition> = []
        try database.read(Set(positions).map { [.integer($0.value)] }, key: "?") { positions in
            "SELECT position FROM records WHERE position IN (\(positions)) AND content IS NOT NULL"
        } _: { row throws(StoreError) in
            found.insert(StreamPosition(row.integer(0)))
        }
        return found
    }

    /// Somebody to whom a message of somebody goes.
    package struct Recipient: Hashable, Sendable {
        package let user: UserID
        package let conversation: ConversationKey
        package let sender: UserID

        package init(user: UserID, conversation: ConversationKey, sender: UserID) {
            self.user = user
            self.conversation = conversation
            self.sender = sender
        }
    }
}

extension PushJobWrites {
    // MARK: Quiet hours

    /// Somebody is to get one digest when their quiet hours end.
    package func hold(_ holds: [PushHold]) throws(StoreError) {
        let holds = Dictionary(holds.map { ($0.user, $0) }) { $1 }.values
        try database.run(holds.map { [.text($0.user.text), .time($0.until)] }, row: "(?, ?)") { rows in
            """
            INSERT INTO push_holds ("user", until) VALUES \(rows)
            ON CONFLICT ("user") DO UPDATE SET until = excluded.until
            """
        }
    }

    /// The quiet hours of somebody are others now: when they end is asked again.
    package func endHold(of user: UserID, at now: Timestamp) throws(StoreError) {
        try database.run(
            #"UPDATE push_holds SET until = ? WHERE "user" = ? AND until > ?"#,
            [now.milliseconds, user.text, now.milliseconds])
    }

    package func removeHolds(of users: [UserID]) throws(StoreError) {
        try database.run(users.map { [.text($0.text)] }, row: "?") { users in
            #"DELETE FROM push_holds WHERE "user" IN (\#(users))"#
        }
    }

    // MARK: What devices show

    /// Somebody was notified of a conversation up to a place; of none, their devices show a number alone.
    package func setShown(_ shown: [(user: UserID, conversation: ConversationKey?, seq: Int)]) throws(StoreError) {
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
            INSERT INTO push_shown ("user", conversation, seq) VALUES \(rows)
            ON CONFLICT ("user", conversation) DO UPDATE SET seq = CASE
                WHEN excluded.seq > push_shown.seq THEN excluded.seq ELSE push_shown.seq END
            """
        }
    }

    /// Nothing of a conversation is shown any more up to a place. The user's devices may show a number still.
    ///
    /// - Returns: whether anything of the conversation was shown.
    package func clearShown(
        to user: UserID, of conversation: ConversationKey, upTo seq: Int
    ) throws(StoreError) -> Bool {
        let shown = try database.row(
            #"SELECT seq FROM push_shown WHERE "user" = ? AND conversation = ? AND seq > 0"#,
            [user.text, conversation.value])
        guard shown != nil else { return false }
        try database.run(
            #"UPDATE push_shown SET seq = 0 WHERE "user" = ? AND conversation = ? AND seq <= ?"#,
            [user.text, conversation.value, seq])
        return true
    }

    /// A user's devices show nothing any more, not even a number.
    package func removeShown(to user: UserID) throws(StoreError) {
        try database.run(#"DELETE FROM push_shown WHERE "user" = ?"#, [user.text])
    }
}
