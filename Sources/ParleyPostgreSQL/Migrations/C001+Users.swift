extension C001 {
    /// Users, what they may turn on and off, and what is on its way to be done for them.
    static let users = [
        """
        CREATE TABLE users (
            id TEXT COLLATE "C" NOT NULL PRIMARY KEY CHECK (length(id) BETWEEN 1 AND 64),
            -- Of a departed user the id alone is left, and their records in others' conversations.
            role TEXT COLLATE "C" NOT NULL CHECK (role IN ('member', 'operator', 'door', 'departed')),
            display_name TEXT COLLATE "C" NOT NULL,
            photo_url TEXT COLLATE "C",
            message_privacy TEXT COLLATE "C" NOT NULL DEFAULT 'followers'
                CHECK (message_privacy IN ('anyone', 'followers')),
            share_workout_data BIGINT NOT NULL DEFAULT 1 CHECK (share_workout_data IN (0, 1)),
            send_read_receipts BIGINT NOT NULL DEFAULT 1 CHECK (send_read_receipts IN (0, 1)),
            send_typing BIGINT NOT NULL DEFAULT 1 CHECK (send_typing IN (0, 1)),
            presence TEXT COLLATE "C" NOT NULL DEFAULT 'friends' CHECK (presence IN ('friends', 'nobody')),
            quiet_from TEXT COLLATE "C",
            quiet_to TEXT COLLATE "C"
                CONSTRAINT users_quiet_to_check CHECK ((quiet_from IS NULL) = (quiet_to IS NULL)),
            time_zone TEXT COLLATE "C",
            created_at BIGINT NOT NULL,
            account_key BYTEA CHECK (length(account_key) = 32),
            account_backup BYTEA CHECK (length(account_backup) BETWEEN 1 AND 4096),
            account_backup_at BIGINT
                CONSTRAINT users_account_backup_at_check
                    CHECK ((account_backup_at IS NULL) = (account_backup IS NULL))
        )
        """,
        """
        CREATE TABLE presence (
            "user" TEXT COLLATE "C" NOT NULL PRIMARY KEY REFERENCES users (id),
            state TEXT COLLATE "C" NOT NULL CHECK (state IN ('online', 'offline')),
            last_seen BIGINT
                CONSTRAINT presence_last_seen_check CHECK ((last_seen IS NULL) = (state = 'online'))
        ) \(Storage.updated)
        """,
        """
        CREATE TABLE stored_bytes (
            "user" TEXT COLLATE "C" NOT NULL REFERENCES users (id),
            day BIGINT NOT NULL,
            bytes BIGINT NOT NULL CHECK (bytes >= 0),
            PRIMARY KEY ("user", day)
        ) \(Storage.updated)
        """,
        """
        CREATE TABLE key_changes (
            "user" TEXT COLLATE "C" NOT NULL PRIMARY KEY REFERENCES users (id),
            -- Who was told last, in the order of ids; empty before the first, NULL after the last.
            told_through TEXT COLLATE "C",
            -- Whether they have changed again since the telling began.
            is_stale BIGINT NOT NULL CHECK (is_stale IN (0, 1)),
            -- When more is to be done, by the gateway's steady time.
            due_at BIGINT NOT NULL
        )
        """,
        #"CREATE INDEX key_changes_by_time ON key_changes (due_at, "user")"#,
        """
        CREATE TABLE name_changes (
            "user" TEXT COLLATE "C" NOT NULL PRIMARY KEY REFERENCES users (id),
            -- The last group of which it was published, by its key; NULL before the first.
            published_through BIGINT,
            -- Whether the name has changed again since the first was published.
            is_stale BIGINT NOT NULL
                CONSTRAINT name_changes_is_stale_check
                    CHECK (is_stale = 0 OR is_stale = 1 AND published_through IS NOT NULL),
            -- When more is to be done, by the gateway's steady time.
            due_at BIGINT NOT NULL
        )
        """,
        #"CREATE INDEX name_changes_by_time ON name_changes (due_at, "user")"#,
    ]
}
