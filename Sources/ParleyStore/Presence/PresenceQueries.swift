import GRDB
import ParleyProtocol

/// A user's presence as it is stored, and to whom they let it be shown.
package struct StoredPresence: Hashable, Sendable {
    package let user: UserID
    package let presence: Presence
    package let privacy: PresencePrivacy

    init(_ row: HotStatement) throws(StoreError) {
        user = try row.level(0)
        switch try row.choice(1) as PresenceUpdate.State {
        case .online: presence = .online
        case .offline: presence = .offline(lastSeen: row.optionalTime(2))
        }
        privacy = try row.choice(3)
    }
}

/// Who is online or was last seen when.
package struct PresenceQueries {
    let database: Database

    /// The presence of these people, and to whom they let it be shown. Operators and ids that nobody has are left out.
    package func stored(of users: some Collection<UserID>) throws(StoreError) -> [UserID: StoredPresence] {
        var presences: [UserID: StoredPresence] = [:]
        try database.read(users.map { [BoundValue.text($0.text)] }, key: "?") { users in
            """
            SELECT u.id, coalesce(p.state, 'offline'), p.last_seen, u.presence FROM users u
            LEFT JOIN presence p ON p.user = u.id WHERE u.id IN (\(users)) AND u.role = 'member'
            """
        } _: { row throws(StoreError) in
            let presence = try StoredPresence(row)
            presences[presence.user] = presence
        }
        return presences
    }

    /// Everybody who is stored as online.
    package func usersOnline() throws(StoreError) -> [UserID] {
        var users: [UserID] = []
        let rows = try database.rows(#"SELECT "user" FROM presence WHERE state = 'online'"#)
        while let row = try rows.next() { users.append(try row.level(0)) }
        return users
    }

    /// The presence of people in the order of their ids, after `user`.
    package func stored(after user: UserID?, limit: Int) throws(StoreError) -> [StoredPresence] {
        var presences: [StoredPresence] = []
        let row = try HotStatement(
            """
            SELECT p.user, p.state, p.last_seen, u.presence FROM presence p JOIN users u ON u.id = p.user
            WHERE p.user > ? ORDER BY p.user LIMIT ?
            """, database)
        try row.bind(user?.text ?? "", at: 1)
        try row.bind(limit, at: 2)
        defer { row.reset() }
        while try row.hasRow() { presences.append(try StoredPresence(row)) }
        return presences
    }

    /// The run of the broker that last received everything it has to retain of presence.
    package func broker() throws(StoreError) -> UInt64? {
        let row = try database.row("SELECT presence_broker FROM publishing")
        return (row?[0] as Int64?).map(UInt64.init(bitPattern:))
    }
}

/// Writes who is online or was last seen when.
package struct PresenceWrites {
    let database: Database

    /// Saves the presence of these users.
    func save(_ presences: [UserID: Presence]) throws(StoreError) {
        try database.run(
            presences.map { user, presence in
                let (state, lastSeen): (String, Timestamp?) =
                    switch presence {
                    case .online: ("online", nil)
                    case .offline(let lastSeen): ("offline", lastSeen)
                    }
                return [.text(user.text), .text(state), .time(lastSeen)]
            }, row: "(?, ?, ?)"
        ) { rows in
            """
            INSERT INTO presence ("user", state, last_seen) VALUES \(rows)
            ON CONFLICT ("user") DO UPDATE SET state = excluded.state, last_seen = excluded.last_seen
            """
        }
    }

    /// Marks this run of the broker as one that has received everything it has to retain of presence.
    package func setBroker(_ broker: UInt64) throws(StoreError) {
        try database.run("UPDATE publishing SET presence_broker = ?", [Int64(bitPattern: broker)])
    }
}
