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
            "a group is of a conversation that is there", foreignKey,
            accepted: group(), refused: group(conversation: 9)),
        Statement(
            "a group's id has 16 bytes", check("length(id) = 16"),
            accepted: group(), refused: group("x'00'")),
        Statement(
            "a group has a time zone", check("length(time_zone) BETWEEN 1 AND 64"),
            accepted: group(), refused: group(zone: "")),
        Statement(
            "a conversation counts for members alone for whom it is open, and who were not put there",
            check("is_counted IN (0, 1) AND (is_counted = 0 OR is_open = 1 AND added_by IS NULL)"),
            accepted: "UPDATE members SET is_counted = 1", refused: "UPDATE members SET is_counted = 1, is_open = 0"),
    ]

    /// Of a group that is there.
    static let inGroups: [Statement] = [
        Statement(
            "a conversation is that of one group", unique("groups.conversation"),
            accepted: "UPDATE groups SET time_zone = 'Europe/Berlin'",
            refused: """
                INSERT INTO groups (id, conversation, time_zone, request_digest)
                VALUES (\(otherID), 1, 'UTC', zeroblob(16))
                """),
        Statement(
            "an invite is to a group that is there", foreignKey,
            accepted: invite(), refused: invite(group: "9")),
        Statement(
            "whoever makes an invite is a user", foreignKey,
            accepted: invite(), refused: invite(maker: "carol")),
        Statement(
            "what a token follows from has 16 bytes", check("length(seed) = 16"),
            accepted: invite(), refused: invite(seed: 15)),
        Statement(
            "a token is kept as 32 bytes", check("length(token_digest) = 32"),
            accepted: invite(), refused: invite(digest: 31)),
        Statement(
            "no more uses are left than there were", check("uses_left BETWEEN 0 AND uses"),
            accepted: invite(left: "0"), refused: invite(left: "3")),
        Statement(
            "no fewer uses are left than none", check("uses_left BETWEEN 0 AND uses"),
            accepted: invite(left: "2"), refused: invite(left: "-1")),
        Statement(
            "uses are counted or not", check("(uses_left IS NULL) = (uses IS NULL)"),
            accepted: invite(uses: "NULL", left: "NULL"), refused: invite(uses: "NULL", left: "1")),
        Statement(
            "an invite has a use at first", check("uses > 0"),
            accepted: invite(uses: "1", left: "1"), refused: invite(uses: "0", left: "0")),
        Statement(
            "a removal knows the last invite before it", check("last_invite >= 0"),
            "INSERT INTO group_removals VALUES (1, 'bob', #)", takes: "0", not: "-1"),
        Statement(
            "whoever was removed is a user", foreignKey,
            "INSERT INTO group_removals VALUES (1, '#', 0)", takes: "bob", not: "carol"),
    ]

    static let aGroup = group()
}
