import ParleyProtocol
import ParleyRules

package struct ContactQueries {
    let database: Database

    /// `nil` if one of the users is unknown, or both are the same.
    package func contact(_ one: UserID, _ other: UserID) throws(StoreError) -> Contact? {
        guard one != other else { return nil }
        return try contacts([(one, other)], roles: "('member')").first
    }

    /// The same where one of them may have departed: their conversations stay.
    package func anyContact(_ one: UserID, _ other: UserID) throws(StoreError) -> Contact? {
        guard one != other else { return nil }
        return try contacts([(one, other)]).first
    }

    /// The contacts of pairs of known users, in no order.
    func contacts(
        _ pairs: [(UserID, UserID)], roles: String = "('member', 'departed')"
    ) throws(StoreError) -> [Contact] {
        var contacts: [Contact] = []
        let keys = pairs.map { [BoundValue.text($0.0.text), .text($0.1.text)] }
        try database.read(keys, key: "(?, ?)") { pairs in
            """
            SELECT a.id, b.id, a.message_privacy, b.message_privacy,
                EXISTS (SELECT 1 FROM follows WHERE follower = a.id AND followed = b.id),
                EXISTS (SELECT 1 FROM follows WHERE follower = b.id AND followed = a.id),
                (SELECT restores_follow + 2 * restores_acceptance FROM blocks WHERE blocker = a.id AND blocked = b.id),
                (SELECT restores_follow + 2 * restores_acceptance FROM blocks WHERE blocker = b.id AND blocked = a.id),
                (SELECT state FROM message_requests WHERE sender = a.id AND recipient = b.id),
                (SELECT state FROM message_requests WHERE sender = b.id AND recipient = a.id),
                (SELECT ended_at FROM ended_friendships
                    WHERE lesser = CASE WHEN a.id < b.id THEN a.id ELSE b.id END
                        AND greater = CASE WHEN a.id < b.id THEN b.id ELSE a.id END)
            FROM (VALUES \(pairs)) AS k CROSS JOIN users a CROSS JOIN users b
            WHERE a.id = k.column1 AND b.id = k.column2 AND a.role IN \(roles) AND b.role IN \(roles)
            """
        } _: { row in
            let (one, other): (UserID, UserID) = (try row.level(0), try row.level(1))
            contacts.append(
                Contact(
                    one,
                    Contact.Side(
                        stance: row.stance(follows: 4, block: 6), privacy: try row.choice(2),
                        request: try row.optionalChoice(8)),
                    other,
                    Contact.Side(
                        stance: row.stance(follows: 5, block: 7), privacy: try row.choice(3),
                        request: try row.optionalChoice(9)),
                    friendsUntil: row.optionalTime(10)))
        }
        return contacts
    }
}

extension ColumnReader {
    /// - Parameter block: NULL without a block; else what its end restores, 1 for the follow and 2 for the acceptance.
    fileprivate func stance(follows: Int, block: Int) -> Contact.Stance {
        guard !isNull(block) else { return isTrue(follows) ? .follows : .neutral }
        let restored = integer(block)
        return .blocks(restoring: Contact.Restoration(follow: restored & 1 != 0, acceptance: restored & 2 != 0))
    }
}
