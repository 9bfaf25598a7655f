/// The rows of two users of the largest size that the limits allow, as SQL for a database that has the schema and
/// nobody in it of these names: `big` and `large`, each in 5,000 groups of three that they have made and 500 that
/// others have put them into, with thousands of people who follow, block and ask them, a full feed, and years of
/// training.
package enum LargeUserRows {
    package static let own = 5000
    package static let byOthers = 500
    package static let people = 3000
    package static let feed = 500
    package static let activities = 2000
    package static let challenges = 1000
    package static let days = 1000
    package static let records = 5000
    package static let invites = 500
    /// The most that `groups_per_user` allows.
    package static let groups = 100

    /// Numbers from 1 on.
    private static func numbers(_ count: Int) -> String {
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(count))"
    }

    package static let statements: [String] =
        [
            """
            \(numbers(people)) INSERT INTO users (id, role, display_name, created_at)
            SELECT 'u' || i, 'member', 'U', 0 FROM n
            """,
            "INSERT INTO users (id, role, display_name, created_at) VALUES ('big', 'member', 'B', 0), ('large', 'member', 'L', 0)",
        ] + groups(of: "big", from: 0) + groups(of: "large", from: 100_000) + ["big", "large"].flatMap(surroundings)
        + training(of: "big", from: 0) + training(of: "large", from: 100_000) + trainingOfOthers

    /// A group that trains together, of each of the others, and the weeks of all groups.
    private static let trainingOfOthers = [
        """
        \(numbers(people)) INSERT INTO conversations (key, id, type, created_by, created_at, updated_at, epoch, last_seq)
        SELECT 200000 + i, CAST(printf('%016d', 200000 + i) AS BLOB), 'group', 'u' || i, 0, i, 'e', 1 FROM n
        """,
        """
        \(numbers(people)) INSERT INTO members (conversation, "user", role, joined_at, active_at, is_counted)
        SELECT 200000 + i, 'u' || i, 'admin', 0, i, 1 FROM n
        """,
        """
        \(numbers(people)) INSERT INTO groups (id, conversation, time_zone, request_digest)
        SELECT randomblob(16), 200000 + i, 'UTC', randomblob(16) FROM n
        """,
        "INSERT INTO board_weeks (of_group, week, starts_at, ends_at) SELECT key, 4, key, key + 1 FROM groups",
    ]

    /// Their groups of three; of the last ones others are the makers.
    private static func groups(of user: String, from start: Int) -> [String] {
        let count = own + byOthers
        func insert(_ member: String, _ rest: String) -> String {
            """
            \(numbers(count)) INSERT INTO members (conversation, "user", role, joined_at, active_at, added_by, is_counted)
            SELECT \(start) + i, \(member), 'member', 0, i, \(rest) FROM n
            """
        }
        let isOwn = "i <= \(own)"
        return [
            """
            \(numbers(count)) INSERT INTO conversations (key, id, type, created_by, created_at, updated_at, epoch, last_seq)
            SELECT \(start) + i, CAST(printf('%016d', \(start) + i) AS BLOB), 'group',
                CASE WHEN \(isOwn) THEN '\(user)' ELSE 'u1' END, 0, i, 'e', 1 FROM n
            """,
            insert("'\(user)'", "CASE WHEN \(isOwn) THEN NULL ELSE 'u1' END, \(isOwn)"),
            insert("'u' || (2 + i % \(people / 2))", "'\(user)', 0"),
            insert("'u' || (2 + \(people / 2) + i % (\(people / 2) - 2))", "'\(user)', 0"),
        ]
    }

    /// Who follows, blocks and asks a user, and their feed.
    private static func surroundings(of user: String) -> [String] {
        [
            "INSERT INTO follows SELECT id, '\(user)', 1 FROM users WHERE id LIKE 'u%'",
            "INSERT INTO follows SELECT '\(user)', id, 1 FROM users WHERE id LIKE 'u1%'",
            "INSERT INTO blocks (blocker, blocked, created_at) SELECT '\(user)', id, 1 FROM users WHERE id LIKE 'u2%'",
            """
            INSERT INTO message_requests (sender, recipient, state, conversation, created_at)
            SELECT id, '\(user)', 'waiting', (SELECT min(key) FROM conversations), 1 FROM users WHERE id LIKE 'u%'
            """,
            """
            \(numbers(feed)) INSERT INTO notifications
                ("user", number, id, type, subject, is_read, created_at, expires_at, disappears_at)
            SELECT '\(user)', i, randomblob(16), 'new_follower', x'7b7d', 0, 0, 9, 9 FROM n
            """,
        ]
    }

    /// What they have trained and shared, and a long conversation of theirs. In the first groups people train together;
    /// in the very first are challenges and invites.
    private static func training(of user: String, from start: Int) -> [String] {
        let conversation = "\(start + 1)"
        return [
            """
            \(numbers(activities)) INSERT INTO activities
                (id, "user", type, title, metadata, created_at, disappears_at, digest)
            SELECT randomblob(16), '\(user)', 'goal_reached', 'G', x'7b7d', i, 9, randomblob(16) FROM n
            """,
            """
            \(numbers(challenges)) INSERT INTO challenges (key, id, digest, conversation, type, target, duration_days,
                status, created_at, deadline, due_at, published_at)
            SELECT \(start) + i, randomblob(16), randomblob(16), \(conversation), 'steps', 9, 9,
                CASE WHEN i > 20 THEN 'declined' ELSE 'pending' END, i, CASE WHEN i <= 20 THEN 9 END,
                CASE WHEN i <= 20 THEN 9 END, 0 FROM n
            """,
            """
            INSERT INTO challenge_sides (challenge, "user", is_challenger, is_open)
            SELECT key, '\(user)', 1, status = 'pending' FROM challenges WHERE conversation = \(conversation)
            """,
            """
            INSERT INTO challenge_sides (challenge, "user", is_challenger, is_open)
            SELECT key, 'u3', 0, status = 'pending' FROM challenges WHERE conversation = \(conversation)
            """,
            """
            \(numbers(days)) INSERT INTO metrics ("user", day, time_zone, version, steps, implausible, reported_at)
            SELECT '\(user)', 20000 + i, 'UTC', 1, 1, 0, 0 FROM n
            """,
            """
            \(numbers(days)) INSERT INTO workout_runs SELECT '\(user)', 2 * (10000 + i), 2 * (10000 + i) FROM n
            """,
            """
            \(numbers(records)) INSERT INTO records
                (position, conversation, seq, id, kind, sender, sender_device, type, created_at, digest)
            SELECT \(start) + i, \(start + 2), i, randomblob(16), 0, 'u1', 'phone', 0, i, randomblob(16) FROM n
            """,
            """
            UPDATE conversations SET last_seq = \(records), last_message_seq = \(records) WHERE key = \(start + 2)
            """,
            """
            \(numbers(groups)) INSERT INTO groups (id, conversation, time_zone, request_digest)
            SELECT randomblob(16), \(start) + i, 'UTC', randomblob(16) FROM n
            """,
            """
            \(numbers(invites)) INSERT INTO invites
                (id, of_group, maker, seed, token_digest, created_at, expires_at, request_digest)
            SELECT randomblob(16), (SELECT key FROM groups WHERE conversation = \(conversation)), '\(user)',
                randomblob(16), randomblob(32), 0, 9, randomblob(16) FROM n
            """,
        ]
    }
}
