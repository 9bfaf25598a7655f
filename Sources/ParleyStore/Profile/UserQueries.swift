import ParleyProtocol

package enum UserRole: String, Sendable {
    /// A person.
    case member
    /// Operates the gateway, and has no conversations.
    case `operator`
    /// Signs people in, and has no conversations.
    case door
    /// Was a person, who has deleted their account. The id is never given to another.
    case departed

    /// What devices of such a user are; `nil` where there are none.
    package var deviceRole: DeviceRole? {
        switch self {
        case .member: .device
        case .operator: .operator
        case .door: .door
        case .departed: nil
        }
    }
}

package struct UserQueries {
    let database: Database

    /// `nil` for operators, whom people cannot see.
    package func profile(_ user: UserID) throws(StoreError) -> Profile? {
        let row = try database.row(
            """
            SELECT id, display_name, photo_url, message_privacy, share_workout_data, send_read_receipts, send_typing,
                presence, quiet_from, quiet_to, time_zone FROM users WHERE id = ? AND role = 'member'
            """, [user.text])
        guard let row else { return nil }
        let (from, to): (String?, String?) = (row[8], row[9])
        var quietHours: QuietHours?
        if let from, let to { quietHours = QuietHours(from: from, to: to) }
        return Profile(
            user: try row.level(0), displayName: row[1], photoURL: row[2], messagePrivacy: try row.choice(3),
            sharesWorkoutData: row[4], sendsReadReceipts: row[5], sendsTyping: row[6], presence: try row.choice(7),
            quietHours: quietHours, timeZone: row[10])
    }

    package func disclosure(of user: UserID) throws(StoreError) -> DisclosureSettings? { try disclosures([user])[user] }

    /// Without unknown users.
    func disclosures(_ users: some Collection<UserID>) throws(StoreError) -> [UserID: DisclosureSettings] {
        try database.table(users.map { [.text($0.text)] }, key: "?") { users in
            "SELECT id, send_read_receipts, send_typing FROM users WHERE id IN (\(users))"
        } _: { row in
            (try row.level(0), DisclosureSettings(sendsReadReceipts: row.isTrue(1), sendsTyping: row.isTrue(2)))
        }
    }

    package func role(of user: UserID) throws(StoreError) -> UserRole? {
        try database.row("SELECT role FROM users WHERE id = ?", [user.text])?.choice(0)
    }

    package func hasMember(_ user: UserID) throws -> Bool { try role(of: user) == .member }

    /// Members ordered by id, after `user`.
    package func summaries(after user: UserID?, limit: Int) throws(StoreError) -> [UserSummary] {
        try database.list(
            """
            SELECT id, display_name, created_at, disabled_at IS NOT NULL FROM users
            WHERE role = 'member' AND id > ? ORDER BY id LIMIT ?
            """, [user?.text ?? "", limit], summary)
    }

    /// Also of an operator.
    package func summary(_ user: UserID) throws(StoreError) -> UserSummary? {
        try database.first(
            "SELECT id, display_name, created_at, disabled_at IS NOT NULL FROM users WHERE id = ?", [user.text], summary
        )
    }

    private func summary(_ row: Row) throws(StoreError) -> UserSummary {
        let user: UserID = try row.level(0)
        return UserSummary(
            user: user, displayName: row.text(1), createdAt: row.time(2),
            devices: try DeviceQueries(database: database).summaries(of: user).map(\.device), isDisabled: row.isTrue(3))
    }
}

/// Writes users and their profiles.
package struct UserWrites {
    let database: Database

    package func insert(
        _ user: UserID, role: UserRole, displayName: String, messagePrivacy: MessagePrivacy = .followers,
        at now: Timestamp
    ) throws(StoreError) {
        try database.run(
            "INSERT INTO users (id, role, display_name, message_privacy, created_at) VALUES (?, ?, ?, ?, ?)",
            [user.text, role.rawValue, displayName, messagePrivacy.rawValue, now.milliseconds])
    }

    package func update(_ profile: Profile) throws(StoreError) {
        try database.run(
            """
            UPDATE users SET display_name = ?, photo_url = ?, message_privacy = ?, share_workout_data = ?,
                send_read_receipts = ?, send_typing = ?, presence = ?, quiet_from = ?, quiet_to = ?, time_zone = ?
            WHERE id = ?
            """,
            [
                profile.displayName, profile.photoURL, profile.messagePrivacy.rawValue, profile.sharesWorkoutData,
                profile.sendsReadReceipts, profile.sendsTyping, profile.presence.rawValue, profile.quietHours?.from,
                profile.quietHours?.to, profile.timeZone, profile.user.text,
            ])
    }
}
