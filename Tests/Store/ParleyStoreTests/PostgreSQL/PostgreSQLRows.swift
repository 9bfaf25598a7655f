/// Rows of a gateway in use, as SQL for PostgreSQL: enough that it could think of reading a table from end to end.
enum PostgreSQLRows {
    private static func insert(
        _ table: String, _ count: Int, _ row: String, where condition: String = "true"
    ) -> String {
        """
        INSERT INTO \(table) SELECT \(row) FROM generate_series(1, \(count)) AS i WHERE \(condition)
        ON CONFLICT DO NOTHING
        """.onOneLine
    }

    private static let users = 5000
    private static let conversations = 2 * users

    /// 16 bytes that follow from a number.
    private static let id = "decode(md5(i::text), 'hex')"
    private static let bytes = "'x'::bytea"
    private static let user = "'u' || (i % \(users) + 1)"
    private static let other = "(i * 13 + i / \(users)) % \(users)"
    private static let conversation = "i % \(conversations) + 1"

    /// References are not looked into, which takes most of the time.
    static let statements =
        ["SET session_replication_role TO replica"] + people + log + training + pushes
        + ["SET session_replication_role TO origin"]

    private static let people = [
        insert("users (id, role, display_name, created_at)", users, "'u' || i, 'member', 'U', 0"),
        insert(
            #"devices ("user", id, token_id, created_at, expires_at)"#, 2 * users,
            "\(user), 'd' || i % 2, \(id), 0, 9"),
        insert(
            "conversations (key, id, type, created_by, created_at, updated_at, epoch)", 2 * users,
            "i, \(id), 'group', \(user), 0, 0, 'e'"),
        insert(
            #"members (conversation, "user", role, joined_at)"#, 6 * users,
            "\(conversation), 'u' || ((i * 7 + i / \(conversations) * 101) % \(users) + 1), 'member', 0"),
        insert("device_watermarks", 6 * users, "\(conversation), \(user), 'd' || i % 3, 1, 1"),
        insert("follows", 10 * users, "\(user), 'u' || (\(other) + 1), i", where: "i % \(users) <> \(other)"),
        insert("blocks", 2 * users, "\(user), 'u' || (\(other) + 1), i, 0, 0", where: "i % \(users) <> \(other)"),
        insert("message_requests", users - 100, "'u' || (i + 1), 'u1', 'waiting', 1, i"),
        insert("presence", users, "'u' || i, 'offline', 1"),
        insert("stored_bytes", 4 * users, "\(user), i / \(users), 1"),
        insert("limit_uses", 4 * users, "\(user), 'k' || i / \(users), i"),
        insert("identities", users, "'email', 'u' || i, 'u' || i, 'u' || i, 0"),
        insert("passwords", users, "'u' || i, \(id), 1, 1, \(id) || \(id), 0"),
    ]

    private static let log = [
        insert(
            """
            records (position, conversation, seq, id, kind, target, sender, sender_device, type, suite, content, \
            created_at, digest, disappears_at)
            """, 20 * users,
            """
            i, \(conversation), i / \(conversations) + 1, \(id), 0, CASE WHEN i % 50 = 0 THEN \(id) END, \(user), \
            'd0', 0, 1, \(bytes), i, \(id), CASE WHEN i % 100 = 0 THEN i END
            """),
        insert("outbox (position, topic, payload, retain)", 5 * users, "1000000 + i, \(bytes), \(bytes), 0"),
        insert(
            #"reports (id, reporter, reason, "user", created_at, digest)"#, users,
            "\(id), \(user), 'r', 'u2', i, \(id)"),
        insert(
            "notifications", 10 * users,
            "\(user), i / \(users) + 1, \(id), 'reaction', 'u2', \(bytes), 'k' || i, (i % 10 > 0)::int, i, i, i"),
        insert("activities", 5 * users, "i, \(id), \(user), 'goal_reached', 't', NULL, \(bytes), i, i, \(id), NULL"),
        insert("activity_reactions", 5 * users, "i, \(user), 'x', 0"),
    ]

    private static let training = [
        insert("groups (key, id, conversation, time_zone, request_digest)", users, "i, \(id), i, 'UTC', \(id)"),
        insert(
            "invites (id, of_group, maker, seed, token_digest, created_at, expires_at, request_digest)", 2 * users,
            "\(id), i % \(users) + 1, \(user), \(id), \(id) || \(id), 0, 1, \(id)"),
        insert("workouts", 10 * users, "\(user), i / \(users), \(id), i, 'UTC', 'run', 30, \(id), 4, 1, 1"),
        insert("workout_runs", 10 * users, "\(user), i / \(users) * 2, i / \(users) * 2"),
        insert(
            #"metrics ("user", day, time_zone, version, implausible, reported_at)"#, 10 * users,
            "\(user), i / \(users), 'UTC', 1, 0, 0"),
        insert("board_weeks (of_group, week, starts_at, ends_at)", users, "i, 4, i, i + 1"),
        insert("boards", users, "i, 4, 'streak', 0, 1, 1, 1, NULL, i"),
        insert(
            "board_entries", 4 * users,
            "i % \(users) + 1, 4, 'streak', 'u' || ((i + i / \(users)) % \(users) + 1), 1, 0, NULL, 0, 1"),
        insert(
            """
            challenges (key, id, digest, conversation, type, target, duration_days, status, created_at, published_at)
            """, 4 * users, "i, \(id), \(id), \(conversation), 'steps', 1, 1, 'declined', i, i"),
        insert(
            #"challenge_sides (challenge, "user", is_challenger, is_open)"#, 8 * users, "(i + 1) / 2, \(user), i % 2, 0"
        ),
    ]

    private static let pushes = [
        insert("push_registrations", users, "'u' || i, 'd0', i, 'apns', \(id), \(bytes), 0"),
        insert(
            "push_events (position, kind, conversation, seq, is_urgent, created_at, steady_at)", 5 * users,
            "i, 0, \(conversation), 1, 0, i, i"),
        insert(
            """
            jobs (id, "user", device, position, registration, provider, type, is_urgent, created_at, deadline, due_at, \
            is_under_way, attempts, repeats)
            """, 4 * users, "\(id), \(user), 'd0', i, 1, 'apns', 'message', 0, 0, i, i, 0, 0, 0"),
        insert(
            #"traces (id, message, "user", type, decision, decided_at, disappears_at)"#, 5 * users,
            "\(id), \(id), \(user), 'message', 'notify', i, i"),
        insert("displayed", 4 * users, "\(user), i / \(users), 1"),
    ]
}
