import ParleyProtocol

/// A departed user whose data is not removed yet.
package struct AccountRemoval: Hashable, Sendable {
    /// The device that has deleted the account.
    package let address: DeviceAddress
    /// The last conversation that the user has left; `nil` when they have left all.
    package let leftThrough: ConversationKey?
}

package struct AccountRemovalQueries {
    let database: Database

    package func next() throws(StoreError) -> AccountRemoval? {
        try database.first(#"SELECT "user", device, left_through FROM account_removals LIMIT 1"#) { row in
            AccountRemoval(
                address: DeviceAddress(user: try row.level(0), device: try row.level(1)),
                leftThrough: row.isNull(2) ? nil : row.key(2))
        }
    }

    /// Conversations of a user, in the order of their keys.
    package func conversations(
        of user: UserID, after key: ConversationKey, limit: Int
    ) throws(StoreError) -> [(key: ConversationKey, id: ConversationID)] {
        try database.list(
            """
            SELECT c.key, c.id FROM members m JOIN conversations c ON c.key = m.conversation
            WHERE m."user" = ? AND m.conversation > ? ORDER BY m.conversation LIMIT ?
            """, [user.text, key.value, limit]
        ) { (key: $0.key(0), id: try $0.uuid(1)) }
    }

    /// The users whom a user follows.
    package func followed(by user: UserID, limit: Int) throws(StoreError) -> [UserID] {
        try database.list(
            "SELECT followed FROM follows WHERE follower = ? ORDER BY followed LIMIT ?", [user.text, limit]
        ) { try $0.level(0) }
    }
}

package struct AccountRemovalWrites {
    let database: Database

    /// Makes a person a departed user: the profile and the ways to sign in are removed at once, the rest in parts.
    package func begin(_ address: DeviceAddress) throws(StoreError) {
        try database.run(
            """
            UPDATE users SET role = 'departed', display_name = '', photo_url = NULL, message_privacy = 'followers',
                share_workout_data = 0, send_read_receipts = 0, send_typing = 0, presence = 'nobody',
                quiet_from = NULL, quiet_to = NULL, time_zone = NULL, account_key = NULL, account_backup = NULL,
                account_backup_at = NULL, disabled_at = NULL
            WHERE id = ?
            """, [address.user.text])
        try IdentityWrites(database: database).removeAll(of: address.user)
        try PasswordWrites(database: database).remove(of: address.user)
        try AccountCodeWrites(database: database).removeAll(of: address.user)
        try database.run(
            #"INSERT INTO account_removals ("user", device, left_through) VALUES (?, ?, 0)"#,
            [address.user.text, address.device.text])
    }

    /// - Parameter key: the last conversation that the user has left; `nil` when they have left all.
    package func setLeft(through key: ConversationKey?, _ user: UserID) throws(StoreError) {
        try database.run(
            #"UPDATE account_removals SET left_through = ? WHERE "user" = ?"#, [key?.value, user.text])
    }

    /// Removes rows that are only a departed user's, so many at most.
    ///
    /// - Returns: whether none is left: the removal is over then.
    package func removeRows(of user: UserID, limit: Int) throws(StoreError) -> Bool {
        var room = limit
        for (table, key, condition) in Self.owned {
            guard room > 0 else { return false }
            room -= try database.change(
                """
                DELETE FROM \(table) WHERE (\(key)) IN (
                    SELECT \(key) FROM \(table) WHERE \(condition) LIMIT ?)
                """, [user.text, room])
        }
        guard room > 0 else { return false }
        try database.run(#"DELETE FROM account_removals WHERE "user" = ?"#, [user.text])
        return true
    }

    /// Each with its primary key and the condition of its owner. Records, reports, challenges, message requests and
    /// blocks stay: they are others', too.
    private static let owned: [(table: String, key: String, condition: String)] = [
        ("follows", "follower, followed", "followed = ?"),
        ("ended_friendships", "lesser, greater", "lesser = ?"),
        ("ended_friendships", "lesser, greater", "greater = ?"),
        ("activity_reactions", #"activity, "user""#, #""user" = ?"#),
        ("activities", "key", #""user" = ?"#),
        ("notifications", #""user", number"#, #""user" = ?"#),
        ("workouts", #""user", day, id"#, #""user" = ?"#),
        ("deleted_workouts", "id", #""user" = ?"#),
        ("workout_runs", #""user", first_day"#, #""user" = ?"#),
        ("metrics", #""user", day"#, #""user" = ?"#),
        ("board_entries", #"of_group, week, type, "user""#, #""user" = ?"#),
        ("invite_uses", #"invite, "user""#, #""user" = ?"#),
        ("invite_uses", #"invite, "user""#, "invite IN (SELECT key FROM invites WHERE maker = ?)"),
        ("invites", "key", "maker = ?"),
        ("group_removals", #"of_group, "user""#, #""user" = ?"#),
        ("departures", #"conversation, "user""#, #""user" = ?"#),
        ("stored_bytes", #""user", day"#, #""user" = ?"#),
        ("limit_uses", #""user", kind"#, #""user" = ?"#),
        ("name_changes", #""user""#, #""user" = ?"#),
        ("presence", #""user""#, #""user" = ?"#),
        ("push_registrations", #""user", device"#, #""user" = ?"#),
        ("link_offers", #""user", device"#, #""user" = ?"#),
        ("devices", #""user", id"#, #""user" = ?"#),
    ]
}
