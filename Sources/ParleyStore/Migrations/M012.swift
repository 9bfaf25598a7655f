extension Migration {
    /// The feed of notifications, and what people have achieved, which their friends see and react to.
    static let m012 = Migration(
        name: "012",
        sql: """
            CREATE TABLE notifications (
                "user" TEXT NOT NULL REFERENCES users (id),
                -- Counts 1, 2, 3 in the user's feed; from 1 again when nothing is left in it.
                number INTEGER NOT NULL CHECK (number > 0),
                id BLOB NOT NULL UNIQUE CHECK (length(id) = 16),
                type TEXT NOT NULL,
                -- Who has caused it.
                actor TEXT,
                -- What it is about, as JSON.
                subject BLOB NOT NULL,
                -- What it has in common with its repeats; NULL where it keeps none of them away any more.
                repeat_key TEXT,
                is_read INTEGER NOT NULL CHECK (is_read IN (0, 1)),
                created_at INTEGER NOT NULL,
                expires_at INTEGER NOT NULL CHECK (expires_at >= created_at),
                -- When it is removed, by the gateway's steady time.
                disappears_at INTEGER NOT NULL,
                PRIMARY KEY ("user", number),
                UNIQUE ("user", repeat_key)
            ) STRICT, WITHOUT ROWID;

            CREATE INDEX notifications_unread ON notifications ("user", actor) WHERE is_read = 0;
            CREATE INDEX notifications_to_remove ON notifications (disappears_at);

            CREATE TABLE activities (
                key INTEGER PRIMARY KEY,
                id BLOB NOT NULL UNIQUE CHECK (length(id) = 16),
                "user" TEXT NOT NULL REFERENCES users (id),
                type TEXT NOT NULL,
                title TEXT NOT NULL,
                description TEXT,
                -- A JSON object.
                metadata BLOB NOT NULL,
                created_at INTEGER NOT NULL,
                -- When it is removed, by the gateway's steady time.
                disappears_at INTEGER NOT NULL,
                -- What the request was that has posted it; NULL for what the gateway has made.
                digest BLOB CHECK (length(digest) = 16),
                -- What the gateway makes one of only; NULL for what was posted.
                made_for TEXT CHECK ((made_for IS NULL) = (digest IS NOT NULL)),
                UNIQUE ("user", made_for)
            ) STRICT;

            CREATE INDEX activities_of_user ON activities ("user", key);
            CREATE INDEX activities_to_remove ON activities (disappears_at);

            CREATE TABLE activity_reactions (
                activity INTEGER NOT NULL REFERENCES activities (key) ON DELETE CASCADE,
                "user" TEXT NOT NULL REFERENCES users (id),
                emoji TEXT NOT NULL CHECK (length(emoji) BETWEEN 1 AND 64),
                created_at INTEGER NOT NULL,
                PRIMARY KEY (activity, "user")
            ) STRICT, WITHOUT ROWID;
            """)
}
