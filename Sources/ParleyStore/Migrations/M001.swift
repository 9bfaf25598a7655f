extension Migration {
    /// Users, devices, conversations, the log of records, and the outbox.
    static let m001 = Migration(
        name: "001",
        sql: """
            CREATE TABLE users (
                id TEXT NOT NULL PRIMARY KEY CHECK (length(id) BETWEEN 1 AND 64),
                role TEXT NOT NULL CHECK (role IN ('member', 'operator')),
                display_name TEXT NOT NULL,
                photo_url TEXT,
                message_privacy TEXT NOT NULL DEFAULT 'followers' CHECK (message_privacy IN ('anyone', 'followers')),
                share_workout_data INTEGER NOT NULL DEFAULT 1 CHECK (share_workout_data IN (0, 1)),
                send_read_receipts INTEGER NOT NULL DEFAULT 1 CHECK (send_read_receipts IN (0, 1)),
                send_typing INTEGER NOT NULL DEFAULT 1 CHECK (send_typing IN (0, 1)),
                presence TEXT NOT NULL DEFAULT 'friends' CHECK (presence IN ('friends', 'nobody')),
                quiet_from TEXT,
                quiet_to TEXT CHECK ((quiet_from IS NULL) = (quiet_to IS NULL)),
                time_zone TEXT,
                created_at INTEGER NOT NULL
            ) STRICT, WITHOUT ROWID;

            CREATE TABLE devices (
                user TEXT NOT NULL REFERENCES users (id),
                id TEXT NOT NULL CHECK (length(id) BETWEEN 1 AND 64),
                token_id BLOB NOT NULL CHECK (length(token_id) = 16),
                -- The request that made the token and when, so that a repeat of it is known.
                token_request BLOB CHECK (length(token_request) = 16),
                token_at INTEGER CHECK ((token_at IS NULL) = (token_request IS NULL)),
                created_at INTEGER NOT NULL,
                expires_at INTEGER NOT NULL,
                revoked_at INTEGER,
                identity_key BLOB CHECK (length(identity_key) = 32),
                signing_key BLOB CHECK (length(signing_key) = 32),
                signature BLOB CHECK (length(signature) = 64),
                keys_at INTEGER CHECK ((keys_at IS NULL) = (identity_key IS NULL)),
                PRIMARY KEY (user, id)
            ) STRICT, WITHOUT ROWID;

            CREATE TABLE conversations (
                key INTEGER PRIMARY KEY,
                id BLOB NOT NULL UNIQUE CHECK (length(id) = 16),
                type TEXT NOT NULL CHECK (type IN ('direct', 'group')),
                name TEXT,
                created_by TEXT NOT NULL REFERENCES users (id),
                created_at INTEGER NOT NULL,
                updated_at INTEGER NOT NULL,
                epoch TEXT NOT NULL,
                last_seq INTEGER NOT NULL DEFAULT 0 CHECK (last_seq >= 0),
                -- What the request was that made a group, so that a repeat of it is known.
                request_digest BLOB
            ) STRICT;

            CREATE TABLE members (
                conversation INTEGER NOT NULL REFERENCES conversations (key),
                user TEXT NOT NULL REFERENCES users (id),
                role TEXT NOT NULL CHECK (role IN ('admin', 'member')),
                joined_at INTEGER NOT NULL,
                delivered_seq INTEGER NOT NULL DEFAULT 0,
                delivered_at INTEGER,
                read_seq INTEGER NOT NULL DEFAULT 0,
                read_at INTEGER,
                PRIMARY KEY (conversation, user),
                CHECK (read_seq <= delivered_seq)
            ) STRICT, WITHOUT ROWID;

            CREATE INDEX members_by_user ON members (user, conversation);

            -- The log. `position` is the one order of everything that is published; it is shared with the outbox.
            CREATE TABLE records (
                position INTEGER PRIMARY KEY,
                conversation INTEGER NOT NULL REFERENCES conversations (key),
                seq INTEGER NOT NULL CHECK (seq > 0),
                id BLOB NOT NULL UNIQUE CHECK (length(id) = 16),
                kind INTEGER NOT NULL CHECK (kind BETWEEN 0 AND 3),
                target BLOB CHECK (length(target) = 16),
                sender TEXT NOT NULL,
                sender_device TEXT NOT NULL,
                type INTEGER NOT NULL CHECK (type BETWEEN 0 AND 7),
                suite INTEGER CHECK (suite BETWEEN 0 AND 2),
                content BLOB,
                nonce BLOB,
                recipient_keys BLOB,
                reply_to BLOB CHECK (length(reply_to) = 16),
                created_at INTEGER NOT NULL,
                expires_at INTEGER,
                -- What the request was: known even when the ciphertext is gone.
                digest BLOB NOT NULL CHECK (length(digest) = 16),
                UNIQUE (conversation, seq)
            ) STRICT;

            -- Events that have no record in the log. A row goes when the broker has acknowledged it.
            CREATE TABLE outbox (
                position INTEGER PRIMARY KEY,
                topic BLOB NOT NULL,
                payload BLOB NOT NULL,
                retain INTEGER NOT NULL CHECK (retain IN (0, 1))
            ) STRICT;

            -- Everything up to here the broker has acknowledged.
            CREATE TABLE publishing (
                id INTEGER PRIMARY KEY CHECK (id = 1),
                published_through INTEGER NOT NULL
            ) STRICT;

            INSERT INTO publishing (id, published_through) VALUES (1, 0);
            """)
}
