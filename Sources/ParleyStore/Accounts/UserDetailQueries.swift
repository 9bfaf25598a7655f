import ParleyProtocol
import ParleyRules

/// Users as operators see them.
package struct UserDetailQueries {
    let database: Database

    /// `nil` for nobody.
    package func standing(of user: UserID) throws(StoreError) -> UserStanding? {
        try database.first("SELECT role, disabled_at IS NOT NULL FROM users WHERE id = ?", [user.text]) { row in
            let role: UserRole = try row.choice(0)
            return switch role {
            case .member: row.isTrue(1) ? UserStanding.disabled : .enabled
            case .operator, .door: .reserved
            case .departed: .departed
            }
        }
    }

    /// `nil` for nobody, and for who is no member.
    package func details(of user: UserID) throws(StoreError) -> UserDetails? {
        guard let profile = try UserQueries(database: database).profile(user) else { return nil }
        let row = try database.row("SELECT created_at, disabled_at FROM users WHERE id = ?", [user.text])
        guard let row else { return nil }
        return UserDetails(
            user: user, displayName: profile.displayName, createdAt: row.time(0), disabledAt: row.optionalTime(1),
            signsInBy: try IdentityQueries(database: database).identities(of: user).map {
                LinkedProvider(provider: $0.provider, linkedAt: $0.linkedAt)
            },
            privacy: UserPrivacy(profile), devices: try DeviceQueries(database: database).summaries(of: user),
            groups: try groups(of: user), counts: try counts(of: user))
    }

    private func groups(of user: UserID) throws(StoreError) -> [UserGroup] {
        try database.list(
            """
            SELECT c.id, g.id, c.name, m.role, m.joined_at
            FROM members m JOIN conversations c ON c.key = m.conversation LEFT JOIN groups g ON g.conversation = c.key
            WHERE m."user" = ? AND c.type = 'group' ORDER BY m.conversation LIMIT ?
            """, [user.text, UserDetails.mostGroups]
        ) { row in
            UserGroup(
                conversation: try row.uuid(0), group: try row.optionalUUID(1), name: row.optionalText(2),
                role: try row.choice(3), joinedAt: row.time(4))
        }
    }

    private func counts(of user: UserID) throws(StoreError) -> UserCounts {
        let row = try database.row(
            """
            SELECT (SELECT count(*) FROM members WHERE "user" = ?1),
                (SELECT count(*) FROM members m JOIN conversations c ON c.key = m.conversation
                    WHERE m."user" = ?1 AND c.type = 'group'),
                (SELECT count(*) FROM follows WHERE followed = ?1), (SELECT count(*) FROM follows WHERE follower = ?1),
                (SELECT count(*) FROM blobs WHERE maker = ?1),
                (SELECT CAST(COALESCE(sum(size), 0) AS BIGINT) FROM blobs WHERE maker = ?1)
            """, [user.text])
        guard let row else { throw .inconsistent(.missingUser) }
        return UserCounts(
            conversations: row[0], groups: row[1], followers: row[2], following: row[3], blobs: row[4],
            blobBytes: row[5])
    }
}

extension UserWrites {
    /// - Parameter time: since when a member signs in nowhere; `nil` for one who may.
    package func setDisabled(_ user: UserID, at time: Timestamp?) throws(StoreError) {
        try database.run("UPDATE users SET disabled_at = ? WHERE id = ?", [time?.milliseconds, user.text])
    }
}
