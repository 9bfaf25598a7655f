extension Migration {
    /// What is unread is counted in an index; how much each user has had stored; the gateway's clock.
    static let m005 = Migration(
        name: "005",
        sql: """
            -- The messages that can be unread, by conversation and sender: counting reads this index alone, and nothing of
            -- what does not count. The queries repeat its condition to the letter.
            CREATE INDEX records_unread ON records (conversation, sender, seq)
                WHERE kind = 0 AND type <> 7 AND content IS NOT NULL AND withheld = 0;

            -- An event whose payload leaves room for a number of unread messages: the publisher counts them. `unread_room`
            -- is the offset of the room in the payload.
            ALTER TABLE outbox ADD COLUMN unread_user TEXT;
            ALTER TABLE outbox ADD COLUMN unread_conversation INTEGER
                CHECK ((unread_conversation IS NULL) = (unread_user IS NULL));
            ALTER TABLE outbox ADD COLUMN unread_after INTEGER CHECK ((unread_after IS NULL) = (unread_user IS NULL));
            ALTER TABLE outbox ADD COLUMN unread_through INTEGER
                CHECK ((unread_through IS NULL) = (unread_user IS NULL));
            ALTER TABLE outbox ADD COLUMN unread_room INTEGER CHECK ((unread_room IS NULL) = (unread_user IS NULL));

            -- How many bytes a user may count as stored on a day, in days since 1970. The gateway writes ahead of what it
            -- has counted, in steps, so that a message seldom changes a row here.
            CREATE TABLE stored_bytes (
                user TEXT NOT NULL REFERENCES users (id),
                day INTEGER NOT NULL,
                bytes INTEGER NOT NULL CHECK (bytes >= 0),
                PRIMARY KEY (user, day)
            ) STRICT, WITHOUT ROWID;

            -- When a record's ciphertext disappears, by the gateway's steady time: that of `created_at` and `expires_at`
            -- less all the steps that it has followed, so that what waits for an hour waits for an hour.
            ALTER TABLE records ADD COLUMN disappears_at INTEGER;
            UPDATE records SET disappears_at = expires_at WHERE expires_at IS NOT NULL AND content IS NOT NULL;
            DROP INDEX records_to_expire;
            CREATE INDEX records_to_disappear ON records (disappears_at)
                WHERE disappears_at IS NOT NULL AND content IS NOT NULL;

            -- The gateway's clock. Times are in milliseconds.
            CREATE TABLE clock (
                id INTEGER PRIMARY KEY CHECK (id = 1),
                -- All steps that the gateway's time has followed, together.
                steps INTEGER NOT NULL,
                -- The gateway's time when it followed the last one, and the last position of then.
                stepped_at INTEGER NOT NULL,
                position INTEGER NOT NULL,
                -- The run of the machine, and what has to be added to how long that has lasted for the gateway's time.
                boot TEXT,
                boot_offset INTEGER CHECK ((boot_offset IS NULL) = (boot IS NULL))
            ) STRICT;

            INSERT INTO clock (id, steps, stepped_at, position) VALUES (1, 0, 0, 0);
            """)
}
