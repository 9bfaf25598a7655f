extension Migrations {
    /// Those of the database of pushes.
    static let pushSteps: [Migration] = [.p001]
    static let pushes = Migrations(pushSteps)
}

extension Migration {
    /// Notifications on their way, what became of them, and what devices display.
    static let p001 = Migration(
        name: "P001",
        sql: """
            -- The name that it and the main database share, and the last plan: up to which key events are decided by
            -- it.
            CREATE TABLE link (
                id INTEGER PRIMARY KEY CHECK (id = 1),
                name TEXT,
                plan INTEGER NOT NULL,
                decided_through INTEGER
            ) STRICT;
            INSERT INTO link (id, name, plan) VALUES (1, NULL, 0);

            -- What the topic is to have of the last plan, until the main database has it.
            CREATE TABLE announcements (
                id BLOB PRIMARY KEY CHECK (length(id) = 16),
                -- 0: a message, at its position; 1: a digest; 2: a clearance of a conversation up to seq.
                kind INTEGER NOT NULL CHECK (kind BETWEEN 0 AND 2),
                "user" TEXT NOT NULL,
                position INTEGER,
                conversation INTEGER,
                seq INTEGER,
                created_at INTEGER NOT NULL,
                CHECK ((kind = 0) = (position IS NOT NULL)),
                CHECK ((kind = 2) = (conversation IS NOT NULL)),
                CHECK ((kind = 2) = (seq IS NOT NULL))
            ) STRICT, WITHOUT ROWID;

            -- Notifications on their way to devices. Those of one device go out one after the other, by their
            -- positions; but one that has failed again and again is bypassed by the others.
            CREATE TABLE jobs (
                id BLOB PRIMARY KEY CHECK (length(id) = 16),
                "user" TEXT NOT NULL,
                device TEXT NOT NULL,
                position INTEGER NOT NULL,
                registration INTEGER NOT NULL,
                provider TEXT NOT NULL,
                type TEXT NOT NULL,
                -- Keys of the main database.
                conversation INTEGER,
                seq INTEGER,
                -- The notification of a feed that it is.
                notification BLOB CHECK (length(notification) = 16),
                -- Of what takes something away, the one message that it is; NULL for all up to seq.
                message BLOB CHECK (length(message) = 16),
                is_urgent INTEGER NOT NULL CHECK (is_urgent IN (0, 1)),
                created_at INTEGER NOT NULL,
                -- All times from here on are steady ones. After this one it is of no use.
                deadline INTEGER NOT NULL,
                -- When it is next to be sent; NULL while it is under way, or waits for an earlier one of the device.
                due_at INTEGER,
                is_under_way INTEGER NOT NULL CHECK (is_under_way IN (0, 1)),
                attempts INTEGER NOT NULL CHECK (attempts >= 0),
                -- How many of them may have reached the device although the answer was lost.
                repeats INTEGER NOT NULL CHECK (repeats >= 0),
                is_bypassed INTEGER NOT NULL DEFAULT 0 CHECK (is_bypassed IN (0, 1)),
                CHECK (is_under_way = 0 OR due_at IS NULL)
            ) STRICT, WITHOUT ROWID;

            CREATE INDEX jobs_of_device ON jobs ("user", device, is_bypassed, position);
            CREATE INDEX jobs_of_message ON jobs ("user", device, position) WHERE message IS NOT NULL;
            CREATE INDEX jobs_due ON jobs (provider, due_at) WHERE due_at IS NOT NULL;
            CREATE INDEX jobs_under_way ON jobs (id) WHERE is_under_way = 1;

            -- Who is in their quiet hours and has missed something: one digest follows.
            CREATE TABLE holds (
                "user" TEXT PRIMARY KEY,
                -- By the time of day.
                until INTEGER NOT NULL
            ) STRICT, WITHOUT ROWID;

            CREATE INDEX holds_by_end ON holds (until);

            -- Up to where devices of a user display a conversation. 0: nothing but the number of what is unread; of the
            -- conversation 0, too.
            CREATE TABLE displayed (
                "user" TEXT NOT NULL,
                conversation INTEGER NOT NULL,
                seq INTEGER NOT NULL,
                PRIMARY KEY ("user", conversation)
            ) STRICT, WITHOUT ROWID;

            -- What was decided, sent and answered, without any content: for operators, for some days.
            CREATE TABLE traces (
                -- Of the notification.
                id BLOB PRIMARY KEY CHECK (length(id) = 16),
                message BLOB CHECK (length(message) = 16),
                "user" TEXT NOT NULL,
                -- NULL for what holds for the user.
                device TEXT,
                provider TEXT,
                type TEXT NOT NULL,
                -- "notify", "hold", or the reason why not.
                decision TEXT NOT NULL,
                decided_at INTEGER NOT NULL,
                sent_at INTEGER,
                attempts INTEGER NOT NULL DEFAULT 0,
                repeats INTEGER NOT NULL DEFAULT 0,
                answered_at INTEGER,
                answer TEXT,
                -- By the steady time.
                disappears_at INTEGER NOT NULL
            ) STRICT, WITHOUT ROWID;

            CREATE INDEX traces_of_message ON traces (message, "user") WHERE message IS NOT NULL;
            CREATE INDEX traces_to_remove ON traces (disappears_at);
            """)
}
