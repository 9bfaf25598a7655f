import ParleyProtocol
import ParleyRules

package struct ContactWrites {
    let database: Database

    /// Writes the difference, without privacy, which belongs to their profiles.
    ///
    /// - Parameter conversation: their direct conversation, which exists before a request.
    package func update(
        _ old: Contact, to new: Contact, conversation: ConversationKey?, at now: Timestamp
    ) throws(StoreError) {
        for user in new.users {
            let other = new.other(than: user)
            if old[user].follows != new[user].follows { try setFollow(user, other, new[user].follows, at: now) }
            if old[user].stance != new[user].stance { try setBlock(user, other, new[user].stance, at: now) }
            if old[user].request != new[user].request {
                try setRequest(user, other, new[user].request, conversation, at: now)
            }
        }
        if let end = new.friendsUntil, end != old.friendsUntil {
            try database.run(
                """
                INSERT INTO ended_friendships (lesser, greater, ended_at) VALUES (?, ?, ?)
                ON CONFLICT (lesser, greater) DO UPDATE SET ended_at = excluded.ended_at
                """, [new.users[0].text, new.users[1].text, end.milliseconds])
        }
    }

    private func setFollow(_ user: UserID, _ other: UserID, _ follows: Bool, at now: Timestamp) throws(StoreError) {
        if follows {
            try database.run(
                "INSERT INTO follows (follower, followed, created_at) VALUES (?, ?, ?)",
                [user.text, other.text, now.milliseconds])
        } else {
            try database.run("DELETE FROM follows WHERE follower = ? AND followed = ?", [user.text, other.text])
        }
    }

    private func setBlock(_ user: UserID, _ other: UserID, _ stance: Contact.Stance, at now: Timestamp)
        throws(StoreError)
    {
        switch stance {
        case .blocks(let restoration):
            // The time of the block stays.
            try database.run(
                """
                INSERT INTO blocks (blocker, blocked, created_at, restores_follow, restores_acceptance)
                VALUES (?, ?, ?, ?, ?)
                ON CONFLICT (blocker, blocked) DO UPDATE SET restores_follow = excluded.restores_follow,
                    restores_acceptance = excluded.restores_acceptance
                """, [user.text, other.text, now.milliseconds, restoration.follow, restoration.acceptance])
        case .follows, .neutral:
            try database.run("DELETE FROM blocks WHERE blocker = ? AND blocked = ?", [user.text, other.text])
        }
    }

    private func setRequest(
        _ sender: UserID, _ recipient: UserID, _ state: MessageRequestState?, _ conversation: ConversationKey?,
        at now: Timestamp
    ) throws(StoreError) {
        guard let state else {
            try database.run(
                "DELETE FROM message_requests WHERE sender = ? AND recipient = ?", [sender.text, recipient.text])
            return
        }
        // The time of the request stays.
        try database.run(
            """
            INSERT INTO message_requests (sender, recipient, state, conversation, created_at) VALUES (?, ?, ?, ?, ?)
            ON CONFLICT (sender, recipient) DO UPDATE SET state = excluded.state
            """, [sender.text, recipient.text, state.rawValue, conversation?.value, now.milliseconds])
    }
}
