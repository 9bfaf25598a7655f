import GRDB
import ParleyProtocol

/// One user's presence as it is kept, and to whom he lets it be shown.
package struct KeptPresence: Hashable, Sendable {
    package let user: UserID
    package let presence: Presence
    package let privacy: PresencePrivacy

    init(_ row: Row) throws {
        user = try row.level(0)
        presence = try row.presence(state: 1, lastSeen: 2)
        privacy = try row.choice(3)
    }
}

extension Snapshot {
    /// What is kept of a person; `nil` where nothing ever was.
    package func presence(of user: UserID) throws -> Presence? {
        try database.row("SELECT state, last_seen FROM presence WHERE user = ?", [user.text])?
            .presence(state: 0, lastSeen: 1)
    }

    /// To whom a person lets his presence be shown; `nil` for operators and for nobody.
    package func presencePrivacy(of user: UserID) throws -> PresencePrivacy? {
        try database.row("SELECT presence FROM users WHERE id = ? AND role = 'member'", [user.text])?.choice(0)
    }

    /// Who was there when that last changed.
    package func usersOnline() throws -> [UserID] {
        var users: [UserID] = []
        let rows = try database.rows("SELECT user FROM presence WHERE state = 'online'")
        while let row = try rows.next() { users.append(try row.level(0)) }
        return users
    }

    /// What is kept of people in the order of their ids, after `user`.
    package func presences(after user: UserID?, limit: Int) throws -> [KeptPresence] {
        var presences: [KeptPresence] = []
        let rows = try database.rows(
            """
            SELECT p.user, p.state, p.last_seen, u.presence FROM presence p JOIN users u ON u.id = p.user
            WHERE p.user > ? ORDER BY p.user LIMIT ?
            """, [user?.text ?? "", limit])
        while let row = try rows.next() { presences.append(try KeptPresence(row)) }
        return presences
    }

    /// The run of the broker that was last given everything that is to be retained of presence.
    package func presenceBroker() throws -> UInt64? {
        let row = try database.row("SELECT presence_broker FROM publishing")
        return (row?[0] as Int64?).map(UInt64.init(bitPattern:))
    }
}

extension WriteTransaction {
    package func put(_ presence: Presence, of user: UserID) throws {
        let (state, lastSeen): (String, Timestamp?) =
            switch presence {
            case .online: ("online", nil)
            case .offline(let lastSeen): ("offline", lastSeen)
            }
        try database.run(
            """
            INSERT INTO presence (user, state, last_seen) VALUES (?, ?, ?)
            ON CONFLICT (user) DO UPDATE SET state = excluded.state, last_seen = excluded.last_seen
            """, [user.text, state, lastSeen?.milliseconds])
    }

    /// This run of the broker has been given everything that is to be retained of presence.
    package func notePresenceBroker(_ broker: UInt64) throws {
        try database.run("UPDATE publishing SET presence_broker = ?", [Int64(bitPattern: broker)])
    }
}

extension Row {
    fileprivate func presence(state: Int, lastSeen: Int) throws -> Presence {
        switch try choice(state) as PresenceUpdate.State {
        case .online: .online
        case .offline: .offline(lastSeen: optionalTime(lastSeen))
        }
    }
}
