extension Migration {
    /// Groups that train together, who was removed from them, and the invites by which people come.
    static let m009 = Migration(
        name: "009",
        sql: """
            -- Members, roles and the name are those of the conversation. One without members is ended.
            CREATE TABLE groups (
                key INTEGER PRIMARY KEY,
                id BLOB NOT NULL UNIQUE CHECK (length(id) = 16),
                conversation INTEGER NOT NULL UNIQUE REFERENCES conversations (key),
                -- The IANA name of the zone in which its weeks begin.
                time_zone TEXT NOT NULL CHECK (length(time_zone) BETWEEN 1 AND 64),
                request_digest BLOB NOT NULL CHECK (length(request_digest) = 16)
            ) STRICT;

            CREATE TABLE invites (
                key INTEGER PRIMARY KEY,
                id BLOB NOT NULL UNIQUE CHECK (length(id) = 16),
                of_group INTEGER NOT NULL REFERENCES groups (key),
                maker TEXT NOT NULL REFERENCES users (id),
                -- The token follows from this and the gateway's key, so that a repeated request gets it again; whoever
                -- reads the database does not.
                seed BLOB NOT NULL CHECK (length(seed) = 16),
                token_digest BLOB NOT NULL UNIQUE CHECK (length(token_digest) = 32),
                created_at INTEGER NOT NULL,
                expires_at INTEGER NOT NULL,
                -- NULL for as many as there is room for.
                uses INTEGER CHECK (uses > 0),
                uses_left INTEGER CHECK (uses_left BETWEEN 0 AND uses) CHECK ((uses_left IS NULL) = (uses IS NULL)),
                is_revoked INTEGER NOT NULL DEFAULT 0 CHECK (is_revoked IN (0, 1)),
                request_digest BLOB NOT NULL CHECK (length(request_digest) = 16)
            ) STRICT;

            CREATE INDEX invites_of_group ON invites (of_group, key);

            -- Who has come by an invite, so that accepting again is known as a repeat.
            CREATE TABLE invite_uses (
                invite INTEGER NOT NULL REFERENCES invites (key),
                user TEXT NOT NULL REFERENCES users (id),
                used_at INTEGER NOT NULL,
                PRIMARY KEY (invite, user)
            ) STRICT, WITHOUT ROWID;

            -- Who was removed from a group. No invite of then or before brings them back.
            CREATE TABLE group_removals (
                of_group INTEGER NOT NULL REFERENCES groups (key),
                user TEXT NOT NULL REFERENCES users (id),
                -- The last invite, of whatever group, that was made before; 0 if there was none.
                last_invite INTEGER NOT NULL CHECK (last_invite >= 0),
                PRIMARY KEY (of_group, user)
            ) STRICT, WITHOUT ROWID;
            """)
}
