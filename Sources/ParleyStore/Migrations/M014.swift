extension Migration {
    /// Push notifications: how devices are reached while they are not connected, what has happened that somebody may be
    /// to be notified of, and the notifications on their way.
    static let m014 = Migration(
        name: "014",
        sql: """
            -- One for a device. The same address belongs to one device only.
            CREATE TABLE push_registrations (
                "user" TEXT NOT NULL REFERENCES users (id),
                device TEXT NOT NULL,
                -- Another one for each registration.
                number INTEGER NOT NULL UNIQUE,
                provider TEXT NOT NULL,
                -- A digest of the provider's name and what the provider knows the device by.
                address BLOB NOT NULL UNIQUE CHECK (length(address) = 16),
                -- The fields of the registration, as JSON.
                target BLOB NOT NULL,
                registered_at INTEGER NOT NULL,
                PRIMARY KEY ("user", device)
            ) STRICT, WITHOUT ROWID;

            -- What has happened, at the position at which it was published: of whom is to be notified is yet to be decided.
            CREATE TABLE push_events (
                key INTEGER PRIMARY KEY,
                position INTEGER NOT NULL,
                -- 0: a message; 1: what somebody's devices show is to be taken away; 2: something has come into a feed; 3: a
                -- message is gone.
                kind INTEGER NOT NULL CHECK (kind BETWEEN 0 AND 3),
                conversation INTEGER REFERENCES conversations (key),
                -- Of the message; up to where it is taken away.
                seq INTEGER,
                -- Whose devices, and the one of them that knows; whose feed.
                "user" TEXT,
                device TEXT,
                notification BLOB CHECK (length(notification) = 16),
                is_urgent INTEGER NOT NULL CHECK (is_urgent IN (0, 1)),
                created_at INTEGER NOT NULL,
                -- The same by the steady time.
                steady_at INTEGER NOT NULL,
                CHECK ((kind = 2) = (notification IS NOT NULL)),
                CHECK ((kind = 2) = (conversation IS NULL)),
                CHECK ((kind = 2) = (seq IS NULL)),
                CHECK ((kind IN (0, 3)) = ("user" IS NULL)),
                CHECK (kind = 1 OR device IS NULL)
            ) STRICT;

            CREATE INDEX push_events_by_position ON push_events (position);

            -- Notifications on their way to devices. Those of one device go out one after the other, by their positions; but one
            -- that has failed again and again stands aside, and the others pass it.
            CREATE TABLE push_jobs (
                id BLOB PRIMARY KEY CHECK (length(id) = 16),
                "user" TEXT NOT NULL,
                device TEXT NOT NULL,
                position INTEGER NOT NULL,
                registration INTEGER NOT NULL,
                provider TEXT NOT NULL,
                type TEXT NOT NULL,
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
                stands_aside INTEGER NOT NULL DEFAULT 0 CHECK (stands_aside IN (0, 1)),
                CHECK (is_under_way = 0 OR due_at IS NULL)
            ) STRICT, WITHOUT ROWID;

            CREATE INDEX push_jobs_of_device ON push_jobs ("user", device, stands_aside, position);
            CREATE INDEX push_jobs_of_message ON push_jobs ("user", device, position) WHERE message IS NOT NULL;
            CREATE INDEX push_jobs_due ON push_jobs (provider, due_at) WHERE due_at IS NOT NULL;
            CREATE INDEX push_jobs_under_way ON push_jobs (id) WHERE is_under_way = 1;

            -- Who is in their quiet hours and has missed something: one digest follows.
            CREATE TABLE push_holds (
                "user" TEXT PRIMARY KEY REFERENCES users (id),
                -- By the time of day.
                until INTEGER NOT NULL
            ) STRICT, WITHOUT ROWID;

            CREATE INDEX push_holds_by_end ON push_holds (until);

            -- Up to where somebody was notified of a conversation: what their devices may show. 0: nothing but the number of what
            -- is unread; of the conversation 0, too.
            CREATE TABLE push_shown (
                "user" TEXT NOT NULL REFERENCES users (id),
                conversation INTEGER NOT NULL,
                seq INTEGER NOT NULL,
                PRIMARY KEY ("user", conversation)
            ) STRICT, WITHOUT ROWID;

            -- What was decided, sent and answered, without any content: for operators, for some days.
            CREATE TABLE push_traces (
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

            CREATE INDEX push_traces_of_message ON push_traces (message, "user") WHERE message IS NOT NULL;
            CREATE INDEX push_traces_to_remove ON push_traces (disappears_at);
            """)
}
