extension SchemaTests {
    private static func group(_ id: String = id, zone: String = "UTC", conversation: Int = 1) -> String {
        """
        INSERT INTO groups (key, id, conversation, time_zone, request_digest)
        VALUES (1, \(id), \(conversation), '\(zone)', zeroblob(16))
        """
    }

    private static func invite(
        group: String = "(SELECT key FROM groups)", maker: String = "alice", seed: Int = 16, digest: Int = 32,
        uses: String = "2", left: String = "1"
    ) -> String {
        """
        INSERT INTO invites (id, of_group, maker, seed, token_digest, created_at, expires_at, uses, uses_left,
            request_digest)
        VALUES (\(otherID), \(group), '\(maker)', zeroblob(\(seed)), zeroblob(\(digest)), 0, 0, \(uses), \(left),
            zeroblob(16))
        """
    }

    /// Of groups that train together. Their group is made where a statement needs one.
    static let groups: [Statement] = [
        Statement(
            testDescription: "a group is of a conversation that is there",
            constraint: "FOREIGN KEY constraint failed",
            accepted: group(), refused: group(conversation: 9)),
        Statement(
            testDescription: "a group's id has 16 bytes",
            constraint: "CHECK constraint failed: length(id) = 16",
            accepted: group(), refused: group("x'00'")),
        Statement(
            testDescription: "a group has a time zone",
            constraint: "CHECK constraint failed: length(time_zone) BETWEEN 1 AND 64",
            accepted: group(), refused: group(zone: "")),
        Statement(
            testDescription: "a conversation counts for members alone for whom it is open, and who were not put there",
            constraint:
                "CHECK constraint failed: is_counted IN (0, 1) AND (is_counted = 0 OR is_open = 1 AND added_by IS NULL)",
            accepted: "UPDATE members SET is_counted = 1", refused: "UPDATE members SET is_counted = 1, is_open = 0"),
    ]

    /// Of a group that is there.
    static let inGroups: [Statement] = [
        Statement(
            testDescription: "a conversation is that of one group",
            constraint: "UNIQUE constraint failed: groups.conversation",
            accepted: "UPDATE groups SET time_zone = 'Europe/Berlin'",
            refused: """
                INSERT INTO groups (id, conversation, time_zone, request_digest)
                VALUES (\(otherID), 1, 'UTC', zeroblob(16))
                """),
        Statement(
            testDescription: "an invite is to a group that is there",
            constraint: "FOREIGN KEY constraint failed",
            accepted: invite(), refused: invite(group: "9")),
        Statement(
            testDescription: "whoever makes an invite is a user",
            constraint: "FOREIGN KEY constraint failed",
            accepted: invite(), refused: invite(maker: "carol")),
        Statement(
            testDescription: "what a token follows from has 16 bytes",
            constraint: "CHECK constraint failed: length(seed) = 16",
            accepted: invite(), refused: invite(seed: 15)),
        Statement(
            testDescription: "a token is kept as 32 bytes",
            constraint: "CHECK constraint failed: length(token_digest) = 32",
            accepted: invite(), refused: invite(digest: 31)),
        Statement(
            testDescription: "no more uses are left than there were",
            constraint: "CHECK constraint failed: uses_left BETWEEN 0 AND uses",
            accepted: invite(left: "0"), refused: invite(left: "3")),
        Statement(
            testDescription: "no fewer uses are left than none",
            constraint: "CHECK constraint failed: uses_left BETWEEN 0 AND uses",
            accepted: invite(left: "2"), refused: invite(left: "-1")),
        Statement(
            testDescription: "uses are counted or not",
            constraint: "CHECK constraint failed: (uses_left IS NULL) = (uses IS NULL)",
            accepted: invite(uses: "NULL", left: "NULL"), refused: invite(uses: "NULL", left: "1")),
        Statement(
            testDescription: "an invite has a use at first",
            constraint: "CHECK constraint failed: uses > 0",
            accepted: invite(uses: "1", left: "1"), refused: invite(uses: "0", left: "0")),
        Statement(
            testDescription: "a removal knows the last invite before it",
            constraint: "CHECK constraint failed: last_invite >= 0",
            accepted: "INSERT INTO group_removals VALUES (1, 'bob', 0)",
            refused: "INSERT INTO group_removals VALUES (1, 'bob', -1)"),
        Statement(
            testDescription: "whoever was removed is a user",
            constraint: "FOREIGN KEY constraint failed",
            accepted: "INSERT INTO group_removals VALUES (1, 'bob', 0)",
            refused: "INSERT INTO group_removals VALUES (1, 'carol', 0)"),
    ]

    static let aGroup = group()
}
