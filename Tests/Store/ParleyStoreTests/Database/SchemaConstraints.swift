import ParleyProtocol
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

        /// - Parameter template: with `#` where the two differ.
        init(_ testDescription: String, _ constraint: String, _ template: String, takes: String, not: String) {
            self.init(
                testDescription, constraint, accepted: template.replacing("#", with: takes),
                refused: template.replacing("#", with: not))
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
            "UPDATE members SET delivered_seq = 3, read_seq = #", takes: "3", not: "4"),
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
            "UPDATE users SET quiet_from = '22:00'#", takes: ", quiet_to = '07:00'", not: ""),
        Statement(
            "an account key has 32 bytes", check("length(account_key) = 32"),
            "UPDATE users SET account_key = zeroblob(#)", takes: "32", not: "31"),
        Statement(
            "a backup has a time, and 4 KiB at most", check("length(account_backup) BETWEEN 1 AND 4096"),
            "UPDATE users SET account_backup = zeroblob(#), account_backup_at = 1", takes: "4096", not: "4097"),
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
    static let later: [Statement] =
        ["is_muted", "is_open", "is_archived", "is_marked_unread"].map {
            Statement(
                "\($0) is yes or no", check("\($0) IN (0, 1)"), "UPDATE members SET \($0) = #", takes: "1", not: "2")
        }
        + ["joined_seq", "visible_from"].map {
            Statement(
                "\($0) is no less than 0", check("\($0) >= 0"), "UPDATE members SET \($0) = #", takes: "0", not: "-1")
        } + others

    private static let others: [Statement] = [
        Statement(
            "nobody follows themselves", check("follower <> followed"),
            "INSERT INTO follows VALUES ('alice', '#', 0)", takes: "bob", not: "alice"),
        Statement(
            "whoever is followed is a user", foreignKey,
            "INSERT INTO follows VALUES ('alice', '#', 0)", takes: "bob", not: "carol"),
        Statement(
            "nobody blocks themselves", check("blocker <> blocked"),
            "INSERT INTO blocks (blocker, blocked, created_at) VALUES ('#', 'bob', 0)", takes: "alice", not: "bob"),
        Statement(
            "a block restores a follow or does not", check("restores_follow IN (0, 1)"),
            "INSERT INTO blocks VALUES ('alice', 'bob', 0, #, 1)", takes: "1", not: "2"),
        Statement(
            "a block restores an acceptance or does not", check("restores_acceptance IN (0, 1)"),
            "INSERT INTO blocks VALUES ('alice', 'bob', 0, 1, #)", takes: "1", not: "2"),
        Statement(
            "nobody asks themselves", check("sender <> recipient"),
            "INSERT INTO message_requests VALUES ('#', 'bob', 'waiting', 1, 0)", takes: "alice", not: "bob"),
        Statement(
            "a request is in one of its states",
            check("state IN ('waiting', 'accepted', 'declined', 'cancelled', 'open', 'hidden')"),
            "INSERT INTO message_requests VALUES ('alice', 'bob', '#', 1, 0)", takes: "hidden", not: "forgotten"),
        Statement(
            "an ended friendship names the lesser first", check("lesser < greater"),
            "INSERT INTO ended_friendships VALUES ('#', 0)", takes: "alice', 'bob", not: "bob', 'alice"),
        Statement(
            "a muting that ends is one", check("muted_until IS NULL OR is_muted = 1"),
            "UPDATE members SET is_muted = #, muted_until = 1", takes: "1", not: "0"),
        Statement(
            "no more is told to be read than to be delivered", check("told_read_seq <= told_delivered_seq"),
            "UPDATE members SET told_delivered_seq = 2, told_read_seq = #", takes: "2", not: "3"),
        Statement(
            "a device has read no more than it has received", check("read_seq <= delivered_seq"),
            "INSERT INTO device_watermarks VALUES (1, 'alice', 'phone', 2, #)", takes: "2", not: "3"),
        Statement(
            "presence is online or offline", check("state IN ('online', 'offline')"),
            "INSERT INTO presence VALUES ('alice', '#', 1)", takes: "offline", not: "away"),
        Statement(
            "whoever is online was not last seen", check("(last_seen IS NULL) = (state = 'online')"),
            "INSERT INTO presence VALUES ('alice', 'online', #)", takes: "NULL", not: "1"),
        Statement(
            "a report has a digest of 16 bytes", check("length(digest) = 16"),
            accepted: "INSERT INTO reports VALUES (1, zeroblob(16), 'alice', 'r', 'bob', NULL, NULL, 0, zeroblob(16))",
            refused: "INSERT INTO reports VALUES (1, zeroblob(16), 'alice', 'r', 'bob', NULL, NULL, 0, zeroblob(15))"),
        Statement(
            "a record is withheld or not", check("withheld IN (0, 1)"),
            accepted: "UPDATE records SET withheld = 1", refused: "UPDATE records SET withheld = 2"),
        Statement(
            "only a nacl-box is an old app's",
            check("is_legacy IN (0, 1) AND (is_legacy = 0 OR suite = 1 AND suite IS NOT NULL)"),
            "UPDATE records SET suite = #, is_legacy = 1", takes: "1", not: "NULL"),
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
            "an event with room for a count says whose", check("(unread_conversation IS NULL) = (unread_user IS NULL)"),
            "UPDATE outbox SET unread_conversation = #", takes: "NULL", not: "1"),
        Statement(
            "nobody has stored less than nothing", check("bytes >= 0"),
            "INSERT INTO stored_bytes VALUES ('alice', 1, #)", takes: "0", not: "-1"),
        Statement(
            "what is limited has a name", check("length(kind) BETWEEN 1 AND 64"),
            "INSERT INTO limit_uses VALUES ('alice', #, 0)", takes: "'reports'", not: "''"),
        Statement(
            "a machine's run has an offset", check("(boot_offset IS NULL) = (boot IS NULL)"),
            accepted: "UPDATE clock SET boot = 'run', boot_offset = 0", refused: "UPDATE clock SET boot = 'run'"),
        Statement(
            "there is one name of the instance", check("id = 1"),
            accepted: "INSERT INTO instance VALUES (1, 'name')", refused: "INSERT INTO instance VALUES (2, 'name')"),
        Statement(
            "a changed name is published before it is stale",
            check("is_stale = 0 OR is_stale = 1 AND published_through IS NOT NULL"),
            "INSERT INTO name_changes VALUES ('alice', #, 1, 0)", takes: "1", not: "NULL"),
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
