extension Migration {
    /// Messages, conversations, and the send queue.
    ///
    /// Only ids, numbers and times that queries need are in the clear; every `sealed` column is opened by `RowCipher`.
    static let m001 = Migration(
        name: "001",
        sql: """
            -- Opens with the right key and on the right device only.
            CREATE TABLE key_check (
                id INTEGER PRIMARY KEY CHECK (id = 1),
                sealed BLOB NOT NULL
            ) STRICT;

            CREATE TABLE conversations (
                id BLOB NOT NULL PRIMARY KEY CHECK (length(id) = 16),
                -- Of the stretch of the log that is kept without a hole.
                epoch TEXT,
                low_seq INTEGER,
                high_seq INTEGER,
                delivered_seq INTEGER NOT NULL,
                sealed BLOB,
                CHECK ((epoch IS NULL) = (low_seq IS NULL) AND (low_seq IS NULL) = (high_seq IS NULL)),
                CHECK (low_seq <= high_seq)
            ) STRICT, WITHOUT ROWID;

            CREATE TABLE messages (
                -- What the search index knows a message by: never used for another.
                key INTEGER PRIMARY KEY AUTOINCREMENT,
                conversation BLOB NOT NULL CHECK (length(conversation) = 16),
                epoch TEXT NOT NULL,
                seq INTEGER NOT NULL CHECK (seq > 0),
                id BLOB NOT NULL CHECK (length(id) = 16),
                expires_at INTEGER,
                sealed BLOB NOT NULL,
                UNIQUE (conversation, epoch, seq),
                UNIQUE (conversation, id)
            ) STRICT;

            CREATE INDEX messages_by_expiry ON messages (expires_at) WHERE expires_at IS NOT NULL;

            CREATE TABLE queue (
                -- The order in which messages were written, and are sent in their conversation.
                position INTEGER PRIMARY KEY,
                id BLOB NOT NULL UNIQUE CHECK (length(id) = 16),
                conversation BLOB NOT NULL CHECK (length(conversation) = 16),
                is_set_aside INTEGER NOT NULL DEFAULT 0 CHECK (is_set_aside IN (0, 1)),
                sealed_content BLOB NOT NULL,
                -- The bytes that were first sent, so that a repeat is the same request.
                sealed_request BLOB,
                -- Why it was set aside.
                sealed_reason BLOB
            ) STRICT;

            CREATE INDEX queue_by_conversation ON queue (conversation, position);
            """)
}
