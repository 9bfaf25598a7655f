extension C001 {
    /// Who follows, blocks and asks whom.
    static let social = [
        """
        CREATE TABLE follows (
            follower TEXT COLLATE "C" NOT NULL REFERENCES users (id),
            followed TEXT COLLATE "C" NOT NULL REFERENCES users (id),
            created_at BIGINT NOT NULL,
            PRIMARY KEY (follower, followed),
            CONSTRAINT follows_of_another CHECK (follower <> followed)
        )
        """,
        "CREATE INDEX follows_of_follower ON follows (follower, created_at, followed)",
        "CREATE INDEX follows_of_followed ON follows (followed, created_at, follower)",
        """
        CREATE TABLE blocks (
            blocker TEXT COLLATE "C" NOT NULL REFERENCES users (id),
            blocked TEXT COLLATE "C" NOT NULL REFERENCES users (id),
            created_at BIGINT NOT NULL,
            restores_follow BIGINT NOT NULL DEFAULT 0 CHECK (restores_follow IN (0, 1)),
            restores_acceptance BIGINT NOT NULL DEFAULT 0 CHECK (restores_acceptance IN (0, 1)),
            PRIMARY KEY (blocker, blocked),
            CONSTRAINT blocks_of_another CHECK (blocker <> blocked)
        )
        """,
        "CREATE INDEX blocks_of_blocker ON blocks (blocker, created_at, blocked)",
        "CREATE INDEX blocks_of_blocked ON blocks (blocked, blocker)",
        """
        CREATE TABLE message_requests (
            sender TEXT COLLATE "C" NOT NULL REFERENCES users (id),
            recipient TEXT COLLATE "C" NOT NULL REFERENCES users (id),
            state TEXT COLLATE "C" NOT NULL
                CHECK (state IN ('waiting', 'accepted', 'declined', 'cancelled', 'open', 'hidden')),
            conversation BIGINT NOT NULL REFERENCES conversations (key),
            created_at BIGINT NOT NULL,
            PRIMARY KEY (sender, recipient),
            CONSTRAINT message_requests_of_another CHECK (sender <> recipient)
        )
        """,
        """
        CREATE INDEX message_requests_waiting ON message_requests (recipient, created_at, sender)
            WHERE state = 'waiting'
        """,
        """
        CREATE TABLE ended_friendships (
            lesser TEXT COLLATE "C" NOT NULL REFERENCES users (id),
            greater TEXT COLLATE "C" NOT NULL REFERENCES users (id),
            ended_at BIGINT NOT NULL,
            PRIMARY KEY (lesser, greater),
            CONSTRAINT ended_friendships_lesser_first CHECK (lesser < greater)
        )
        """,
        "CREATE INDEX ended_friendships_of_greater ON ended_friendships (greater)",
    ]
}
