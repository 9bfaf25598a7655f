import ParleyProtocol

package struct StoredPresence: Hashable, Sendable {
    package let user: UserID
    package let presence: Presence
    package let privacy: PresencePrivacy

    init(_ row: Row) throws(StoreError) {
        user = try row.level(0)
        switch try row.choice(1) as PresenceUpdate.State {
        case .online: presence = .online
        case .offline: presence = .offline(lastSeen: row.optionalTime(2))
        }
        privacy = try row.choice(3)
    }
}

package struct PresenceQueries {
    let database: Database

    /// Without operators and unknown users.
    package func stored(of users: some Collection<UserID>) throws(StoreError) -> [UserID: StoredPresence] {
        try database.table(users.map { [.text($0.text)] }, key: "?") { users in
            """
            SELECT u.id, coalesce(p.state, 'offline'), p.last_seen, u.presence FROM users u
            LEFT JOIN presence p ON p.user = u.id WHERE u.id IN (\(users)) AND u.role = 'member'
            """
        } _: { row in
            let presence = try StoredPresence(row)
            return (presence.user, presence)
        }
    }

    package func usersOnline() throws(StoreError) -> [UserID] {
        try database.list(#"SELECT "user" FROM presence WHERE state = 'online'"#) { try $0.level(0) }
    }

    /// Users who are offline, and were online at a time or later.
    package func usersOffline(since time: Timestamp) throws(StoreError) -> [UserID] {
        try database.list(
            #"SELECT "user" FROM presence WHERE state = 'offline' AND last_seen >= ?"#, [time.milliseconds]
        ) {
            try $0.level(0)
        }
    }

    /// Ordered by user, after `user`.
    package func stored(after user: UserID?, limit: Int) throws(StoreError) -> [StoredPresence] {
        try database.list(
            """
            SELECT p.user, p.state, p.last_seen, u.presence FROM (
                SELECT "user", state, last_seen FROM presence WHERE "user" > ? ORDER BY "user" LIMIT ?) AS p
            JOIN users u ON u.id = p.user ORDER BY p.user
            """, [user?.text ?? "", limit], StoredPresence.init)
    }
}

/// Writes who is online or was last seen when.
package struct PresenceWrites {
    let database: Database

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
}
