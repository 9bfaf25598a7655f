import ParleyProtocol

extension ExportPart {
    /// The items of a part behind a key, with the key first: of a user (1), behind (2), so many at most (3).
    var statement: String {
        switch self {
        case .account:
            """
            SELECT 0, u.id, u.display_name, u.photo_url, u.message_privacy, u.share_workout_data, u.send_read_receipts,
                u.send_typing, u.presence, u.quiet_from, u.quiet_to, u.time_zone, u.created_at, u.account_key,
                u.account_backup, u.disabled_at, p.last_seen, s.set_at
            FROM users u LEFT JOIN presence p ON p."user" = u.id LEFT JOIN passwords s ON s."user" = u.id
            WHERE u.id = ?1 AND CAST(?2 AS BIGINT) < 0 LIMIT ?3
            """
        case .device:
            """
            SELECT d.id, d.name, d.created_at, d.last_seen, d.expires_at, d.identity_key, d.signing_key, d.revoked_at
            FROM devices d WHERE d."user" = ?1 AND d.id > ?2 ORDER BY d.id LIMIT ?3
            """
        case .signIn:
            """
            SELECT provider, subject, address, linked_at FROM identities
            WHERE "user" = ?1 AND provider > ?2 ORDER BY provider LIMIT ?3
            """
        case .pushRegistration:
            """
            SELECT device, provider, registered_at FROM push_registrations
            WHERE "user" = ?1 AND device > ?2 ORDER BY device LIMIT ?3
            """
        case .follow:
            """
            SELECT followed, created_at FROM follows WHERE follower = ?1 AND followed > ?2 ORDER BY followed LIMIT ?3
            """
        case .follower:
            """
            SELECT follower, created_at FROM follows WHERE followed = ?1 AND follower > ?2 ORDER BY follower LIMIT ?3
            """
        case .block:
            "SELECT blocked, created_at FROM blocks WHERE blocker = ?1 AND blocked > ?2 ORDER BY blocked LIMIT ?3"
        case .conversation:
            """
            SELECT m.conversation, c.id, c.type, c.name, m.role, m.joined_at, m.read_seq, m.is_muted, m.is_archived
            FROM members m JOIN conversations c ON c.key = m.conversation
            WHERE m."user" = ?1 AND m.conversation > ?2 AND (m.is_open = 1 OR (
                SELECT count(*) FROM message_requests q
                WHERE q.recipient = m."user" AND q.conversation = m.conversation AND q.state = 'waiting') > 0)
            ORDER BY m.conversation LIMIT ?3
            """
        // Has a statement of its own, which looks at a part of all records.
        case .message: ""
        case .blob:
            """
            SELECT b.id, c.id, b.size, b.sha256, b.created_at, b.expires_at, b.seq
            FROM blobs b JOIN conversations c ON c.key = b.conversation
            WHERE b.maker = ?1 AND b.id > ?2 ORDER BY b.id LIMIT ?3
            """
        case .workout:
            """
            SELECT id, day, completed_at, time_zone, kind, minutes FROM workouts
            WHERE "user" = ?1 AND id > ?2 ORDER BY id LIMIT ?3
            """
        case .metrics:
            """
            SELECT day, time_zone, version, steps, calories, exercise_minutes, reported_at FROM metrics
            WHERE "user" = ?1 AND day > ?2 ORDER BY day LIMIT ?3
            """
        case .challenge:
            """
            SELECT s.challenge, c.id, v.id, c.type, c.target, c.duration_days, c.status, c.created_at, c.accepted_at,
                c.ends_at, c.outcome, c.winner, s.is_challenger, s.progress
            FROM challenge_sides s JOIN challenges c ON c.key = s.challenge JOIN conversations v ON v.key = c.conversation
            WHERE s."user" = ?1 AND s.challenge > ?2 ORDER BY s.challenge LIMIT ?3
            """
        case .activity:
            """
            SELECT key, id, type, title, description, metadata, created_at FROM activities
            WHERE "user" = ?1 AND key > ?2 ORDER BY key LIMIT ?3
            """
        case .activityReaction:
            """
            SELECT r.activity, a.id, r.emoji, r.created_at
            FROM activity_reactions r JOIN activities a ON a.key = r.activity
            WHERE r."user" = ?1 AND r.activity > ?2 ORDER BY r.activity LIMIT ?3
            """
        case .notification:
            """
            SELECT number, id, type, actor, subject, is_read, created_at, expires_at FROM notifications
            WHERE "user" = ?1 AND number > ?2 ORDER BY number LIMIT ?3
            """
        case .invite:
            """
            SELECT i.key, i.id, g.id, i.created_at, i.expires_at, i.uses, i.uses_left, i.is_revoked
            FROM invites i JOIN groups g ON g.key = i.of_group
            WHERE i.maker = ?1 AND i.key > ?2 ORDER BY i.key LIMIT ?3
            """
        case .report:
            """
            SELECT key, id, reason, "user", created_at FROM reports
            WHERE reporter = ?1 AND key > ?2 ORDER BY key LIMIT ?3
            """
        }
    }

    /// The `data` of an item.
    func data(_ row: Row) throws(StoreError) -> [UInt8] {
        switch self {
        case .account: account(row)
        case .device: device(row)
        case .signIn: signIn(row)
        case .pushRegistration: pushRegistration(row)
        case .follow, .follower, .block: person(row)
        case .conversation: try conversation(row)
        // Has rows of its own.
        case .message: []
        case .blob: try blob(row)
        case .workout: try workout(row)
        case .metrics: metrics(row)
        case .challenge: try challenge(row)
        case .activity: try activity(row)
        case .activityReaction: try activityReaction(row)
        case .notification: try notification(row)
        case .invite: try invite(row)
        case .report: try report(row)
        }
    }

    private func account(_ row: Row) -> [UInt8] {
        JSONWriter.object { object in
            object.member("user_id", row.text(1))
            object.member("display_name", row.text(2))
            object.member("photo_url", row.optionalText(3))
            object.member("message_privacy", row.text(4))
            object.member("share_workout_data", row.isTrue(5))
            object.member("send_read_receipts", row.isTrue(6))
            object.member("send_typing", row.isTrue(7))
            object.member("presence", row.text(8))
            object.member("quiet_from", row.optionalText(9))
            object.member("quiet_to", row.optionalText(10))
            object.member("time_zone", row.optionalText(11))
            object.member("created_at", row.time(12))
            object.member("account_key", base64: row.bytes(13))
            object.member("account_backup", base64: row.bytes(14))
            object.member("disabled_at", row.optionalTime(15))
            object.member("last_seen", row.optionalTime(16))
            object.member("password_set_at", row.optionalTime(17))
        }
    }

    private func device(_ row: Row) -> [UInt8] {
        JSONWriter.object { object in
            object.member("device_id", row.text(0))
            object.member("name", row.optionalText(1))
            object.member("created_at", row.time(2))
            object.member("last_seen", row.optionalTime(3))
            object.member("expires_at", row.time(4))
            object.member("identity_key", base64: row.bytes(5))
            object.member("signing_key", base64: row.bytes(6))
            object.member("revoked_at", row.optionalTime(7))
        }
    }

    private func signIn(_ row: Row) -> [UInt8] {
        JSONWriter.object { object in
            object.member("provider", row.text(0))
            object.member("subject", row.text(1))
            object.member("address", row.optionalText(2))
            object.member("linked_at", row.time(3))
        }
    }

    private func pushRegistration(_ row: Row) -> [UInt8] {
        JSONWriter.object { object in
            object.member("device_id", row.text(0))
            object.member("provider", row.text(1))
            object.member("registered_at", row.time(2))
        }
    }

    private func person(_ row: Row) -> [UInt8] {
        JSONWriter.object { object in
            object.member("user_id", row.text(0))
            object.member("created_at", row.time(1))
        }
    }

    private func conversation(_ row: Row) throws(StoreError) -> [UInt8] {
        let id: ConversationID = try row.uuid(1)
        return JSONWriter.object { object in
            object.member("id", id.description)
            object.member("type", row.text(2))
            object.member("name", row.optionalText(3))
            object.member("role", row.text(4))
            object.member("joined_at", row.time(5))
            object.member("read_seq", row.integer(6))
            object.member("is_muted", row.isTrue(7))
            object.member("is_archived", row.isTrue(8))
        }
    }

    private func blob(_ row: Row) throws(StoreError) -> [UInt8] {
        let id: BlobID = try row.uuid(0)
        let conversation: ConversationID = try row.uuid(1)
        return JSONWriter.object { object in
            object.member("id", id.description)
            object.member("conversation_id", conversation.description)
            object.member("size", row.integer(2))
            object.member("digest", base64: row.bytes(3))
            object.member("created_at", row.time(4))
            object.member("expires_at", row.optionalTime(5))
            object.member("seq", row.optionalInteger(6))
        }
    }

    private func workout(_ row: Row) throws(StoreError) -> [UInt8] {
        let id: WorkoutID = try row.uuid(0)
        return JSONWriter.object { object in
            object.member("id", id.description)
            object.member("date", row.day(1).description)
            object.member("completed_at", row.time(2))
            object.member("time_zone", row.text(3))
            object.member("kind", row.optionalText(4))
            object.member("minutes", row.optionalInteger(5))
        }
    }

    private func metrics(_ row: Row) -> [UInt8] {
        JSONWriter.object { object in
            object.member("date", row.day(0).description)
            object.member("time_zone", row.text(1))
            object.member("version", row.integer(2))
            object.member("steps", row.optionalInteger(3))
            object.member("calories", row.optionalInteger(4))
            object.member("exercise_minutes", row.optionalInteger(5))
            object.member("reported_at", row.time(6))
        }
    }

    private func challenge(_ row: Row) throws(StoreError) -> [UInt8] {
        let id: ChallengeID = try row.uuid(1)
        let conversation: ConversationID = try row.uuid(2)
        return JSONWriter.object { object in
            object.member("id", id.description)
            object.member("conversation_id", conversation.description)
            object.member("type", row.text(3))
            object.member("target", row.integer(4))
            object.member("duration_days", row.integer(5))
            object.member("status", row.text(6))
            object.member("created_at", row.time(7))
            object.member("accepted_at", row.optionalTime(8))
            object.member("ends_at", row.optionalTime(9))
            object.member("outcome", row.optionalText(10))
            object.member("winner_id", row.optionalText(11))
            object.member("is_challenger", row.isTrue(12))
            object.member("progress", row.integer(13))
        }
    }

    private func activity(_ row: Row) throws(StoreError) -> [UInt8] {
        let id: ActivityID = try row.uuid(1)
        return JSONWriter.object { object in
            object.member("id", id.description)
            object.member("type", row.text(2))
            object.member("title", row.text(3))
            object.member("description", row.optionalText(4))
            object.member("metadata", raw: row.bytes(5))
            object.member("created_at", row.time(6))
        }
    }

    private func activityReaction(_ row: Row) throws(StoreError) -> [UInt8] {
        let activity: ActivityID = try row.uuid(1)
        return JSONWriter.object { object in
            object.member("activity_id", activity.description)
            object.member("emoji", row.text(2))
            object.member("created_at", row.time(3))
        }
    }

    private func notification(_ row: Row) throws(StoreError) -> [UInt8] {
        let id: NotificationID = try row.uuid(1)
        return JSONWriter.object { object in
            object.member("id", id.description)
            object.member("type", row.text(2))
            object.member("actor_id", row.optionalText(3))
            object.member("subject", raw: row.bytes(4))
            object.member("is_read", row.isTrue(5))
            object.member("created_at", row.time(6))
            object.member("expires_at", row.time(7))
        }
    }

    private func invite(_ row: Row) throws(StoreError) -> [UInt8] {
        let id: InviteID = try row.uuid(1)
        let group: GroupID = try row.uuid(2)
        return JSONWriter.object { object in
            object.member("id", id.description)
            object.member("group_id", group.description)
            object.member("created_at", row.time(3))
            object.member("expires_at", row.time(4))
            object.member("uses", row.optionalInteger(5))
            object.member("uses_left", row.optionalInteger(6))
            object.member("is_revoked", row.isTrue(7))
        }
    }

    /// Without what they have revealed: it is what others have written.
    private func report(_ row: Row) throws(StoreError) -> [UInt8] {
        let id: ReportID = try row.uuid(1)
        return JSONWriter.object { object in
            object.member("id", id.description)
            object.member("reason", row.text(2))
            object.member("user_id", row.text(3))
            object.member("created_at", row.time(4))
        }
    }
}
