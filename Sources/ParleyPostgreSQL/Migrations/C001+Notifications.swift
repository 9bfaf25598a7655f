extension C001 {
    /// Feeds, and what users share in them.
    static let notifications = [
        """
        CREATE TABLE notifications (
            "user" TEXT COLLATE "C" NOT NULL REFERENCES users (id),
            -- Counts 1, 2, 3 in the user's feed; from 1 again when nothing is left in it.
            number BIGINT NOT NULL CHECK (number > 0),
            id BYTEA NOT NULL UNIQUE CHECK (length(id) = 16),
            type TEXT COLLATE "C" NOT NULL,
            -- Who has caused it.
            actor TEXT COLLATE "C",
            -- What it is about, as JSON.
            subject BYTEA NOT NULL,
            -- What it has in common with its repeats; NULL where it keeps none of them away any more.
            repeat_key TEXT COLLATE "C",
            is_read BIGINT NOT NULL CHECK (is_read IN (0, 1)),
            created_at BIGINT NOT NULL,
            expires_at BIGINT NOT NULL
                CONSTRAINT notifications_expires_at_check CHECK (expires_at >= created_at),
            -- When it is removed, by the gateway's steady time.
            disappears_at BIGINT NOT NULL,
            PRIMARY KEY ("user", number),
            UNIQUE ("user", repeat_key)
        )
        """,
        #"CREATE INDEX notifications_unread ON notifications ("user", actor) WHERE is_read = 0"#,
        "CREATE INDEX notifications_to_remove ON notifications (disappears_at)",
        """
        CREATE TABLE activities (
            key BIGINT PRIMARY KEY,
            id BYTEA NOT NULL UNIQUE CHECK (length(id) = 16),
            "user" TEXT COLLATE "C" NOT NULL REFERENCES users (id),
            type TEXT COLLATE "C" NOT NULL,
            title TEXT COLLATE "C" NOT NULL,
            description TEXT COLLATE "C",
            -- A JSON object.
            metadata BYTEA NOT NULL,
            created_at BIGINT NOT NULL,
            -- When it is removed, by the gateway's steady time.
            disappears_at BIGINT NOT NULL,
            -- What the request was that has posted it; NULL for what the gateway has made.
            digest BYTEA CHECK (length(digest) = 16),
            -- What the gateway makes one of only; NULL for what was posted.
            made_for TEXT COLLATE "C"
                CONSTRAINT activities_made_for_check CHECK ((made_for IS NULL) = (digest IS NOT NULL)),
            UNIQUE ("user", made_for)
        )
        """,
        #"CREATE INDEX activities_of_user ON activities ("user", key)"#,
        "CREATE INDEX activities_to_remove ON activities (disappears_at)",
        """
        CREATE TABLE activity_reactions (
            activity BIGINT NOT NULL REFERENCES activities (key) ON DELETE CASCADE,
            "user" TEXT COLLATE "C" NOT NULL REFERENCES users (id),
            emoji TEXT COLLATE "C" NOT NULL CHECK (length(emoji) BETWEEN 1 AND 64),
            created_at BIGINT NOT NULL,
            PRIMARY KEY (activity, "user")
        )
        """,
        #"CREATE INDEX activity_reactions_of_user ON activity_reactions ("user")"#,
    ]
}
