import TestNames
import Testing

extension SchemaTests {
    struct Statement: CustomTestStringConvertible, Sendable {
        let testDescription: String
        /// As SQLite names the constraint when it refuses.
        let constraint: String
        /// What the schema takes.
        let accepted: String
        /// The same but for what breaks the constraint.
        let refused: String

        init(_ testDescription: String, _ constraint: String, accepted: String, refused: String) {
            (self.testDescription, self.constraint) = (testDescription, constraint)
            (self.accepted, self.refused) = (accepted, refused)
        }
    }

    static func check(_ condition: String) -> String { "CHECK constraint failed: \(condition)" }
    static func unique(_ columns: String) -> String { "UNIQUE constraint failed: \(columns)" }
    static let foreignKey = "FOREIGN KEY constraint failed"

    static func record(position: Int, conversation: Int = 1, seq: Int, id: String) -> String {
        """
        INSERT INTO records (position, conversation, seq, id, kind, sender, sender_device, type, created_at, digest)
        VALUES (\(position), \(conversation), \(seq), \(id), 0, 'alice', 'phone', 0, 0, zeroblob(16))
        """
    }

    static let id = "x'00000000000000000000000000000001'"
    static let otherID = "x'00000000000000000000000000000002'"

    /// Of the first schema, and of devices' keys.
    static let first: [Statement] = [
        Statement(
            "a seq is given once in a conversation", unique("records.conversation, records.seq"),
            accepted: record(position: 2, seq: 2, id: otherID), refused: record(position: 2, seq: 1, id: otherID)),
        Statement(
            "an id is given once", unique("records.id"),
            accepted: record(position: 2, seq: 2, id: otherID), refused: record(position: 2, seq: 2, id: id)),
        Statement(
            "a position is given once", unique("records.position"),
            accepted: record(position: 2, seq: 2, id: otherID), refused: record(position: 1, seq: 2, id: otherID)),
        Statement(
            "a seq counts from 1", check("seq > 0"),
            accepted: record(position: 2, seq: 2, id: otherID), refused: record(position: 2, seq: 0, id: otherID)),
        Statement(
            "an id has 16 bytes", check("length(id) = 16"),
            accepted: record(position: 2, seq: 2, id: otherID), refused: record(position: 2, seq: 2, id: "x'00'")),
        Statement(
            "a record is of a conversation that is there", foreignKey,
            accepted: record(position: 2, seq: 2, id: otherID),
            refused: record(position: 2, conversation: 9, seq: 2, id: otherID)),
        Statement(
            "read <= delivered", check("read_seq <= delivered_seq"),
            accepted: "UPDATE members SET delivered_seq = 3, read_seq = 3",
            refused: "UPDATE members SET delivered_seq = 3, read_seq = 4"),
        Statement(
            "a member is a user", foreignKey,
            accepted: "INSERT INTO members (conversation, user, role, joined_at) VALUES (1, 'bob', 'member', 0)",
            refused: "INSERT INTO members (conversation, user, role, joined_at) VALUES (1, 'carol', 'member', 0)"),
        Statement(
            "a member is one once", unique("members.conversation, members.user"),
            accepted: "INSERT INTO members (conversation, user, role, joined_at) VALUES (1, 'bob', 'member', 0)",
            refused: "INSERT INTO members (conversation, user, role, joined_at) VALUES (1, 'alice', 'admin', 0)"),
        Statement(
            "a column holds its type", "cannot store TEXT value in INTEGER column users.created_at",
            accepted: "UPDATE users SET created_at = 1", refused: "UPDATE users SET created_at = 'today'"),
        Statement(
            "quiet hours have both ends", check("(quiet_from IS NULL) = (quiet_to IS NULL)"),
            accepted: "UPDATE users SET quiet_from = '22:00', quiet_to = '07:00'",
            refused: "UPDATE users SET quiet_from = '22:00'"),
        Statement(
            "an account key has 32 bytes", check("length(account_key) = 32"),
            accepted: "UPDATE users SET account_key = zeroblob(32)",
            refused: "UPDATE users SET account_key = zeroblob(31)"),
        Statement(
            "a backup has a time, and 4 KiB at most", check("length(account_backup) BETWEEN 1 AND 4096"),
            accepted: "UPDATE users SET account_backup = zeroblob(4096), account_backup_at = 1",
            refused: "UPDATE users SET account_backup = zeroblob(4097), account_backup_at = 1"),
        Statement(
            "a certificate is of two keys", check("length(certificate) = 64 AND identity_key IS NOT NULL"),
            accepted: device(
                "identity_key, keys_at, signing_key, certificate, issued_at",
                "zeroblob(32), 0, zeroblob(32), zeroblob(64), 0"),
            refused: device(
                "identity_key, keys_at, certificate, issued_at", "zeroblob(32), 0, zeroblob(64), 0")),
        Statement(
            "a certificate has a time", check("(issued_at IS NULL) = (certificate IS NULL)"),
            accepted: device(
                "identity_key, keys_at, signing_key, certificate, issued_at",
                "zeroblob(32), 0, zeroblob(32), zeroblob(64), 0"),
            refused: device(
                "identity_key, keys_at, signing_key, certificate", "zeroblob(32), 0, zeroblob(32), zeroblob(64)")),
        Statement(
            "a device that is there offers itself to be linked", foreignKey,
            accepted: "INSERT INTO key_changes VALUES ('alice', NULL, 1, 0)",
            refused: """
                INSERT INTO link_offers (user, device, identity_key, signing_key, link_key, expires_at)
                VALUES ('alice', 'nothing', zeroblob(32), zeroblob(32), zeroblob(32), 0)
                """),
        Statement(
            "an identity key has 32 bytes", check("length(identity_key) = 32"),
            accepted: device("identity_key, keys_at", "zeroblob(32), 0"),
            refused: device("identity_key, keys_at", "zeroblob(31), 0")),
        Statement(
            "keys have a time", check("(keys_at IS NULL) = (identity_key IS NULL)"),
            accepted: device("identity_key, keys_at", "zeroblob(32), 0"),
            refused: device("identity_key", "zeroblob(32)")),
        Statement(
            "there is one published mark", check("id = 1"),
            accepted: "UPDATE publishing SET published_through = 1",
            refused: "INSERT INTO publishing (id, published_through) VALUES (2, 0)"),
    ]

    /// Of what came with later ones.
    static let later: [Statement] = [
        Statement(
            "nobody follows themselves", check("follower <> followed"),
            accepted: "INSERT INTO follows VALUES ('alice', 'bob', 0)",
            refused: "INSERT INTO follows VALUES ('alice', 'alice', 0)"),
        Statement(
            "whoever is followed is a user", foreignKey,
            accepted: "INSERT INTO follows VALUES ('alice', 'bob', 0)",
            refused: "INSERT INTO follows VALUES ('alice', 'carol', 0)"),
        Statement(
            "nobody blocks themselves", check("blocker <> blocked"),
            accepted: "INSERT INTO blocks (blocker, blocked, created_at) VALUES ('alice', 'bob', 0)",
            refused: "INSERT INTO blocks (blocker, blocked, created_at) VALUES ('bob', 'bob', 0)"),
        Statement(
            "a block restores a follow or does not", check("restores_follow IN (0, 1)"),
            accepted: "INSERT INTO blocks VALUES ('alice', 'bob', 0, 1, 1)",
            refused: "INSERT INTO blocks VALUES ('alice', 'bob', 0, 2, 1)"),
        Statement(
            "a block restores an acceptance or does not", check("restores_acceptance IN (0, 1)"),
            accepted: "INSERT INTO blocks VALUES ('alice', 'bob', 0, 1, 1)",
            refused: "INSERT INTO blocks VALUES ('alice', 'bob', 0, 1, 2)"),
        Statement(
            "nobody asks themselves", check("sender <> recipient"),
            accepted: "INSERT INTO message_requests VALUES ('alice', 'bob', 'waiting', 1, 0)",
            refused: "INSERT INTO message_requests VALUES ('bob', 'bob', 'waiting', 1, 0)"),
        Statement(
            "a request is in one of its states",
            check("state IN ('waiting', 'accepted', 'declined', 'cancelled', 'open', 'hidden')"),
            accepted: "INSERT INTO message_requests VALUES ('alice', 'bob', 'hidden', 1, 0)",
            refused: "INSERT INTO message_requests VALUES ('alice', 'bob', 'forgotten', 1, 0)"),
        Statement(
            "an ended friendship names the lesser first", check("lesser < greater"),
            accepted: "INSERT INTO ended_friendships VALUES ('alice', 'bob', 0)",
            refused: "INSERT INTO ended_friendships VALUES ('bob', 'alice', 0)"),
        Statement(
            "a muting that ends is one", check("muted_until IS NULL OR is_muted = 1"),
            accepted: "UPDATE members SET is_muted = 1, muted_until = 1",
            refused: "UPDATE members SET is_muted = 0, muted_until = 1"),
        Statement(
            "is_muted is yes or no", check("is_muted IN (0, 1)"),
            accepted: "UPDATE members SET is_muted = 1", refused: "UPDATE members SET is_muted = 2"),
        Statement(
            "is_open is yes or no", check("is_open IN (0, 1)"),
            accepted: "UPDATE members SET is_open = 1", refused: "UPDATE members SET is_open = 2"),
        Statement(
            "is_archived is yes or no", check("is_archived IN (0, 1)"),
            accepted: "UPDATE members SET is_archived = 1", refused: "UPDATE members SET is_archived = 2"),
        Statement(
            "is_marked_unread is yes or no", check("is_marked_unread IN (0, 1)"),
            accepted: "UPDATE members SET is_marked_unread = 1", refused: "UPDATE members SET is_marked_unread = 2"),
        Statement(
            "joined_seq is no less than 0", check("joined_seq >= 0"),
            accepted: "UPDATE members SET joined_seq = 0", refused: "UPDATE members SET joined_seq = -1"),
        Statement(
            "visible_from is no less than 0", check("visible_from >= 0"),
            accepted: "UPDATE members SET visible_from = 0", refused: "UPDATE members SET visible_from = -1"),
        Statement(
            "no more is told to be read than to be delivered", check("told_read_seq <= told_delivered_seq"),
            accepted: "UPDATE members SET told_delivered_seq = 2, told_read_seq = 2",
            refused: "UPDATE members SET told_delivered_seq = 2, told_read_seq = 3"),
        Statement(
            "a device has read no more than it has received", check("read_seq <= delivered_seq"),
            accepted: "INSERT INTO device_watermarks VALUES (1, 'alice', 'phone', 2, 2)",
            refused: "INSERT INTO device_watermarks VALUES (1, 'alice', 'phone', 2, 3)"),
        Statement(
            "presence is online or offline", check("state IN ('online', 'offline')"),
            accepted: "INSERT INTO presence VALUES ('alice', 'offline', 1)",
            refused: "INSERT INTO presence VALUES ('alice', 'away', 1)"),
        Statement(
            "whoever is online was not last seen", check("(last_seen IS NULL) = (state = 'online')"),
            accepted: "INSERT INTO presence VALUES ('alice', 'online', NULL)",
            refused: "INSERT INTO presence VALUES ('alice', 'online', 1)"),
        Statement(
            "a report has a digest of 16 bytes", check("length(digest) = 16"),
            accepted: "INSERT INTO reports VALUES (1, zeroblob(16), 'alice', 'r', 'bob', NULL, NULL, 0, zeroblob(16))",
            refused: "INSERT INTO reports VALUES (1, zeroblob(16), 'alice', 'r', 'bob', NULL, NULL, 0, zeroblob(15))"),
        Statement(
            "a record is withheld or not", check("withheld IN (0, 1)"),
            accepted: "UPDATE records SET withheld = 1", refused: "UPDATE records SET withheld = 2"),
        Statement(
            "an earlier token has an end", check("(previous_until IS NULL) = (previous_token_id IS NULL)"),
            accepted: device("previous_token_id, previous_until", "zeroblob(16), 0"),
            refused: device("previous_token_id", "zeroblob(16)")),
        Statement(
            "whoever made a token has a user and a device",
            check("(made_by_device IS NULL) = (made_by_user IS NULL)"),
            accepted: device("made_by_user, made_by_device", "'bob', 'console'"),
            refused: device("made_by_user", "'bob'")),
        Statement(
            "an event with room for a count says whose",
            check("(unread_conversation IS NULL) = (unread_user IS NULL)"),
            accepted: "UPDATE outbox SET unread_conversation = NULL",
            refused: "UPDATE outbox SET unread_conversation = 1"),
        Statement(
            "nobody has stored less than nothing", check("bytes >= 0"),
            accepted: "INSERT INTO stored_bytes VALUES ('alice', 1, 0)",
            refused: "INSERT INTO stored_bytes VALUES ('alice', 1, -1)"),
        Statement(
            "a machine's run has an offset", check("(boot_offset IS NULL) = (boot IS NULL)"),
            accepted: "UPDATE clock SET boot = 'run', boot_offset = 0", refused: "UPDATE clock SET boot = 'run'"),
        Statement(
            "there is one name of the instance", check("id = 1"),
            accepted: "INSERT INTO instance VALUES (1, 'name')", refused: "INSERT INTO instance VALUES (2, 'name')"),
        Statement(
            "a changed name is published before it is stale",
            check("is_stale = 0 OR is_stale = 1 AND published_through IS NOT NULL"),
            accepted: "INSERT INTO name_changes VALUES ('alice', 1, 1, 0)",
            refused: "INSERT INTO name_changes VALUES ('alice', NULL, 1, 0)"),
        Statement(
            "a place in a feed is given once", unique("notifications.user, notifications.number"),
            accepted: notification(number: 1) + ", " + notificationRow(number: 2, id: otherID, key: "NULL"),
            refused: notification(number: 1) + ", " + notificationRow(number: 1, id: otherID, key: "NULL")),
        Statement(
            "of two notifications with the same key a feed has one",
            unique("notifications.user, notifications.repeat_key"),
            accepted: notification(number: 1) + ", " + notificationRow(number: 2, id: otherID, key: "'other'"),
            refused: notification(number: 1) + ", " + notificationRow(number: 2, id: otherID, key: "'key'")),
        Statement(
            "places in a feed count from 1", check("number > 0"),
            accepted: notification(number: 1), refused: notification(number: 0)),
        Statement(
            "an item of activity is posted or made", check("(made_for IS NULL) = (digest IS NOT NULL)"),
            accepted: activity("NULL, 'streak/7'"), refused: activity("NULL, NULL")),
        Statement(
            "the gateway makes one item for one thing", unique("activities.user, activities.made_for"),
            accepted: activity("NULL, 'a'"),
            refused: activity("NULL, 'a'") + ", (2, \(otherID), 'alice', 't', '', NULL, x'7b7d', 0, 0, NULL, 'a')"),
        Statement(
            "a reaction is to an item that is there", foreignKey,
            accepted: activity("zeroblob(16), NULL"),
            refused: "INSERT INTO activity_reactions VALUES (9, 'bob', 'x', 0)"),
    ]

    private static func notification(number: Int) -> String {
        "INSERT INTO notifications VALUES \(notificationRow(number: number, id: id, key: "'key'"))"
    }

    private static func notificationRow(number: Int, id: String, key: String) -> String {
        "('alice', \(number), \(id), 'reaction', 'bob', x'7b7d', \(key), 0, 0, 0, 0)"
    }

    /// - Parameter origin: digest and `made_for`.
    private static func activity(_ origin: String) -> String {
        "INSERT INTO activities VALUES (1, \(id), 'alice', 'goal_reached', 'title', NULL, x'7b7d', 0, 0, \(origin))"
    }

    static func device(_ columns: String, _ values: String) -> String {
        """
        INSERT INTO devices (user, id, token_id, created_at, expires_at, \(columns))
        VALUES ('alice', 'phone', zeroblob(16), 0, 0, \(values))
        """
    }
}
