import GRDB
import ParleyProtocol
import ParleyRules

extension Snapshot {
    /// What is between two people; `nil` if one of them is nobody, or both are the same.
    package func contact(_ one: UserID, _ other: UserID) throws -> Contact? {
        guard one != other else { return nil }
        let row = try database.row(
            """
            SELECT a.message_privacy, b.message_privacy,
                EXISTS (SELECT 1 FROM follows WHERE follower = a.id AND followed = b.id),
                EXISTS (SELECT 1 FROM follows WHERE follower = b.id AND followed = a.id),
                (SELECT restores_follow + 2 * restores_acceptance FROM blocks WHERE blocker = a.id AND blocked = b.id),
                (SELECT restores_follow + 2 * restores_acceptance FROM blocks WHERE blocker = b.id AND blocked = a.id),
                (SELECT state FROM message_requests WHERE sender = a.id AND recipient = b.id),
                (SELECT state FROM message_requests WHERE sender = b.id AND recipient = a.id),
                (SELECT ended_at FROM ended_friendships WHERE lesser = min(a.id, b.id) AND greater = max(a.id, b.id))
            FROM users a, users b WHERE a.id = ? AND b.id = ? AND a.role = 'member' AND b.role = 'member'
            """, [one.text, other.text])
        guard let row else { return nil }
        return Contact(
            one,
            Contact.Side(
                stance: row.stance(follows: 2, block: 4), privacy: try row.choice(0), request: try row.optionalChoice(6)
            ),
            other,
            Contact.Side(
                stance: row.stance(follows: 3, block: 5), privacy: try row.choice(1), request: try row.optionalChoice(7)
            ),
            friendsUntil: row.optionalTime(8))
    }
}

extension Row {
    /// How one stands to another.
    ///
    /// - Parameter block: NULL where there is none; else what its end restores, 1 a following and 2 an acceptance.
    fileprivate func stance(follows: Int, block: Int) -> Contact.Stance {
        guard let restored = self[block] as Int? else { return self[follows] ? .follows : .neutral }
        return .blocks(restoring: Contact.Restoration(follow: restored & 1 != 0, acceptance: restored & 2 != 0))
    }
}
