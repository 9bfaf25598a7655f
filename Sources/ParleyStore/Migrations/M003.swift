extension Migration {
    /// Blocks that are carried out as what they look like to whoever was blocked, and what they write meanwhile.
    static let m003 = Migration(
        name: "003",
        sql: """
            -- What the block has ended, to be restored when it ends: whoever blocks does not follow, and nothing is accepted.
            ALTER TABLE blocks ADD COLUMN restores_follow INTEGER NOT NULL DEFAULT 0 CHECK (restores_follow IN (0, 1));
            ALTER TABLE blocks ADD COLUMN restores_acceptance INTEGER NOT NULL DEFAULT 0
                CHECK (restores_acceptance IN (0, 1));
            UPDATE blocks SET
                restores_follow = EXISTS (SELECT 1 FROM follows WHERE follower = blocker AND followed = blocked),
                restores_acceptance = EXISTS (
                    SELECT 1 FROM message_requests WHERE state = 'accepted'
                    AND (sender = blocker AND recipient = blocked OR sender = blocked AND recipient = blocker));

            -- A block that stands ended a friendship when it was made.
            INSERT INTO ended_friendships (lesser, greater, ended_at)
            SELECT one.follower, one.followed, min(b.created_at) FROM follows one
            JOIN follows other ON other.follower = one.followed AND other.followed = one.follower
            JOIN blocks b ON b.blocker = one.follower AND b.blocked = one.followed
                OR b.blocker = one.followed AND b.blocked = one.follower
            WHERE one.follower < one.followed GROUP BY one.follower, one.followed
            ON CONFLICT DO UPDATE SET ended_at = excluded.ended_at;

            DELETE FROM follows
            WHERE EXISTS (SELECT 1 FROM blocks WHERE blocker = follows.follower AND blocked = follows.followed);

            CREATE TABLE asked (
                sender TEXT NOT NULL REFERENCES users (id),
                recipient TEXT NOT NULL REFERENCES users (id),
                state TEXT NOT NULL
                    CHECK (state IN ('waiting', 'accepted', 'declined', 'cancelled', 'open', 'hidden')),
                conversation INTEGER NOT NULL REFERENCES conversations (key),
                created_at INTEGER NOT NULL,
                PRIMARY KEY (sender, recipient),
                CHECK (sender <> recipient)
            ) STRICT, WITHOUT ROWID;

            INSERT INTO asked (sender, recipient, state, conversation, created_at)
            SELECT sender, recipient,
                CASE
                    WHEN EXISTS (SELECT 1 FROM blocks WHERE blocker = sender AND blocked = recipient) THEN 'cancelled'
                    WHEN state IN ('accepted', 'open')
                        AND EXISTS (SELECT 1 FROM blocks WHERE blocker = recipient AND blocked = sender) THEN 'declined'
                    ELSE state
                END, conversation, created_at
            FROM message_requests;

            -- Whoever had accepted what the blocker asked is as one whose own request was accepted, and is no more.
            INSERT INTO asked (sender, recipient, state, conversation, created_at)
            SELECT q.recipient, q.sender, 'declined', q.conversation, q.created_at FROM message_requests q
            WHERE q.state = 'accepted'
                AND EXISTS (SELECT 1 FROM blocks WHERE blocker = q.sender AND blocked = q.recipient)
                AND NOT EXISTS (SELECT 1 FROM blocks WHERE blocker = q.recipient AND blocked = q.sender)
            ON CONFLICT DO UPDATE SET state = 'declined';

            DROP TABLE message_requests;
            ALTER TABLE asked RENAME TO message_requests;
            CREATE INDEX message_requests_waiting ON message_requests (recipient, created_at, sender)
                WHERE state = 'waiting';

            -- Written by somebody whom the other of the two had blocked: shown to its sender alone.
            ALTER TABLE records ADD COLUMN withheld INTEGER NOT NULL DEFAULT 0 CHECK (withheld IN (0, 1));

            -- How far the log has come for a member who alone sees the last of it; 0 where all see as much.
            ALTER TABLE members ADD COLUMN own_last_seq INTEGER NOT NULL DEFAULT 0;
            ALTER TABLE members ADD COLUMN own_last_message_seq INTEGER NOT NULL DEFAULT 0;
            ALTER TABLE members ADD COLUMN own_updated_at INTEGER NOT NULL DEFAULT 0;

            DROP INDEX members_of_user;
            CREATE INDEX members_of_user ON members (user, is_open, is_archived, active_at, own_updated_at);
            """)
}
