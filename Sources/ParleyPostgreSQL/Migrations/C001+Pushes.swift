extension C001 {
    /// Notifications on their way: the tables of SQLite's second database.
    static let pushes = [
        """
        CREATE TABLE link (
            id BIGINT PRIMARY KEY CHECK (id = 1),
            name TEXT COLLATE "C",
            plan BIGINT NOT NULL,
            decided_through BIGINT
        ) \(Storage.singleRow)
        """,
        "INSERT INTO link (id, name, plan) VALUES (1, NULL, 0)",
        """
        CREATE TABLE announcements (
            id BYTEA PRIMARY KEY CHECK (length(id) = 16),
            -- 0: a message, at its position; 1: a digest; 2: a clearance of a conversation up to seq.
            kind BIGINT NOT NULL CHECK (kind BETWEEN 0 AND 2),
            "user" TEXT COLLATE "C" NOT NULL,
            position BIGINT,
            conversation BIGINT,
            seq BIGINT,
            created_at BIGINT NOT NULL,
            CONSTRAINT announcements_position_by_kind CHECK ((kind = 0) = (position IS NOT NULL)),
            CONSTRAINT announcements_conversation_by_kind CHECK ((kind = 2) = (conversation IS NOT NULL)),
            CONSTRAINT announcements_seq_by_kind CHECK ((kind = 2) = (seq IS NOT NULL))
        ) \(Storage.queue)
        """,
        """
        CREATE TABLE jobs (
            id BYTEA PRIMARY KEY CHECK (length(id) = 16),
            "user" TEXT COLLATE "C" NOT NULL,
            device TEXT COLLATE "C" NOT NULL,
            position BIGINT NOT NULL,
            registration BIGINT NOT NULL,
            provider TEXT COLLATE "C" NOT NULL,
            type TEXT COLLATE "C" NOT NULL,
            -- Keys of the main database.
            conversation BIGINT,
            seq BIGINT,
            -- The notification of a feed that it is.
            notification BYTEA CHECK (length(notification) = 16),
            -- Of what takes something away, the one message that it is; NULL for all up to seq.
            message BYTEA CHECK (length(message) = 16),
            is_urgent BIGINT NOT NULL CHECK (is_urgent IN (0, 1)),
            created_at BIGINT NOT NULL,
            -- All times from here on are steady ones. After this one it is of no use.
            deadline BIGINT NOT NULL,
            -- When it is next to be sent; NULL while it is under way, or waits for an earlier one of the device.
            due_at BIGINT,
            is_under_way BIGINT NOT NULL CHECK (is_under_way IN (0, 1)),
            attempts BIGINT NOT NULL CHECK (attempts >= 0),
            -- How many of them may have reached the device although the answer was lost.
            repeats BIGINT NOT NULL CHECK (repeats >= 0),
            is_bypassed BIGINT NOT NULL DEFAULT 0 CHECK (is_bypassed IN (0, 1)),
            CONSTRAINT jobs_under_way_is_not_due CHECK (is_under_way = 0 OR due_at IS NULL)
        ) \(Storage.queue)
        """,
        #"CREATE INDEX jobs_of_device ON jobs ("user", device, is_bypassed, position)"#,
        #"CREATE INDEX jobs_of_message ON jobs ("user", device, position) WHERE message IS NOT NULL"#,
        "CREATE INDEX jobs_due ON jobs (provider, due_at) WHERE due_at IS NOT NULL",
        "CREATE INDEX jobs_under_way ON jobs (id) WHERE is_under_way = 1",
        """
        CREATE TABLE holds (
            "user" TEXT COLLATE "C" PRIMARY KEY,
            -- By the time of day.
            until BIGINT NOT NULL
        )
        """,
        "CREATE INDEX holds_by_end ON holds (until)",
        """
        CREATE TABLE displayed (
            "user" TEXT COLLATE "C" NOT NULL,
            conversation BIGINT NOT NULL,
            seq BIGINT NOT NULL,
            PRIMARY KEY ("user", conversation)
        )
        """,
        """
        CREATE TABLE traces (
            -- Of the notification.
            id BYTEA PRIMARY KEY CHECK (length(id) = 16),
            message BYTEA CHECK (length(message) = 16),
            "user" TEXT COLLATE "C" NOT NULL,
            -- NULL for what holds for the user.
            device TEXT COLLATE "C",
            provider TEXT COLLATE "C",
            type TEXT COLLATE "C" NOT NULL,
            -- "notify", "hold", or the reason why not.
            decision TEXT COLLATE "C" NOT NULL,
            decided_at BIGINT NOT NULL,
            sent_at BIGINT,
            attempts BIGINT NOT NULL DEFAULT 0,
            repeats BIGINT NOT NULL DEFAULT 0,
            answered_at BIGINT,
            answer TEXT COLLATE "C",
            -- By the steady time.
            disappears_at BIGINT NOT NULL
        )
        """,
        #"CREATE INDEX traces_of_message ON traces (message, "user") WHERE message IS NOT NULL"#,
        "CREATE INDEX traces_to_remove ON traces (disappears_at)",
    ]
}
