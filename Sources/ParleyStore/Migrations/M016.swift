extension Migration {
    /// Push has a database of its own: what changes what is on its way there is an event, and the tables of before are
    /// what a backup carries.
    static let m016 = Migration(
        name: "016",
        sql: """
            CREATE TABLE push_events_of_two_databases (
                key INTEGER PRIMARY KEY,
                -- 0 of what has none.
                position INTEGER NOT NULL,
                -- 0: a message; 1: what somebody's devices display is to be taken away; 2: something has come into a
                -- feed; 3: a message is gone; 4: the registration of a device has ended; 5: it was replaced; 6:
                -- somebody's quiet hours are others; 7: an operator tests a device.
                kind INTEGER NOT NULL CHECK (kind BETWEEN 0 AND 7),
                conversation INTEGER REFERENCES conversations (key),
                -- Of the message; up to where it is taken away.
                seq INTEGER,
                -- Whose devices, and the one of them that knows, or that it is about; whose feed; whose quiet hours.
                "user" TEXT,
                device TEXT,
                notification BLOB CHECK (length(notification) = 16),
                is_urgent INTEGER NOT NULL CHECK (is_urgent IN (0, 1)),
                created_at INTEGER NOT NULL,
                -- The same by the steady time.
                steady_at INTEGER NOT NULL,
                CHECK ((kind IN (2, 7)) = (notification IS NOT NULL)),
                CHECK ((kind IN (0, 1, 3)) = (conversation IS NOT NULL)),
                CHECK ((kind IN (0, 1, 3)) = (seq IS NOT NULL)),
                CHECK ((kind IN (0, 3)) = ("user" IS NULL)),
                CHECK (kind IN (1, 4, 5, 7) OR device IS NULL),
                CHECK (kind NOT IN (4, 5, 7) OR device IS NOT NULL)
            ) STRICT;
            INSERT INTO push_events_of_two_databases SELECT key, position, kind, conversation, seq, "user", device,
                notification, is_urgent, created_at, steady_at FROM push_events;
            DROP TABLE push_events;
            ALTER TABLE push_events_of_two_databases RENAME TO push_events;
            CREATE INDEX push_events_by_position ON push_events (position);
            CREATE INDEX push_events_of_notification ON push_events (notification) WHERE notification IS NOT NULL;

            -- The database of pushes that belongs to this one: none, and what is in push_jobs, push_holds, push_shown
            -- and push_traces is to be carried into one. While it has one these are empty.
            CREATE TABLE push_link (
                id INTEGER PRIMARY KEY CHECK (id = 1),
                name TEXT,
                -- The plan that was carried out last.
                plan INTEGER NOT NULL
            ) STRICT;
            INSERT INTO push_link (id, name, plan) VALUES (1, NULL, 0);
            """)
}
