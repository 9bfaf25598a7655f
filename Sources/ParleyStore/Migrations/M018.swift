extension Migration {
    /// Doors, users who have deleted their accounts, and by what people sign in.
    static let m018 = Migration(
        name: "018",
        sql: """
            CREATE TABLE users_of_four_roles (
                id TEXT NOT NULL PRIMARY KEY CHECK (length(id) BETWEEN 1 AND 64),
                -- Of a departed user the id alone is left, and their records in others' conversations.
                role TEXT NOT NULL CHECK (role IN ('member', 'operator', 'door', 'departed')),
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
                created_at INTEGER NOT NULL,
                account_key BLOB CHECK (length(account_key) = 32),
                account_backup BLOB CHECK (length(account_backup) BETWEEN 1 AND 4096),
                account_backup_at INTEGER CHECK ((account_backup_at IS NULL) = (account_backup IS NULL))
            ) STRICT, WITHOUT ROWID;
            INSERT INTO users_of_four_roles SELECT id, role, display_name, photo_url, message_privacy,
                share_workout_data, send_read_receipts, send_typing, presence, quiet_from, quiet_to, time_zone,
                created_at, account_key, account_backup, account_backup_at FROM users;
            DROP TABLE users;
            ALTER TABLE users_of_four_roles RENAME TO users;

            -- The ways in which users sign in: one of each provider.
            CREATE TABLE identities (
                -- The provider's name in the settings, or "email".
                provider TEXT NOT NULL CHECK (length(provider) BETWEEN 1 AND 64),
                -- The provider's name of the user, or the address in the form in which addresses are compared.
                subject TEXT NOT NULL CHECK (length(subject) BETWEEN 1 AND 255),
                "user" TEXT NOT NULL REFERENCES users (id),
                -- The address as it was written; NULL of a provider.
                address TEXT CHECK ((address IS NOT NULL) = (provider = 'email')),
                linked_at INTEGER NOT NULL,
                PRIMARY KEY (provider, subject),
                UNIQUE ("user", provider)
            ) STRICT, WITHOUT ROWID;

            -- Argon2id, version 1.3, one lane.
            CREATE TABLE passwords (
                "user" TEXT NOT NULL PRIMARY KEY REFERENCES users (id),
                salt BLOB NOT NULL CHECK (length(salt) = 16),
                passes INTEGER NOT NULL,
                kibibytes INTEGER NOT NULL,
                hash BLOB NOT NULL CHECK (length(hash) = 32),
                set_at INTEGER NOT NULL
            ) STRICT, WITHOUT ROWID;

            -- Codes that were sent, and what their return allows. A code follows from its seed and the gateway's key:
            -- whoever reads the database does not know it.
            CREATE TABLE account_codes (
                key INTEGER PRIMARY KEY,
                purpose TEXT NOT NULL CHECK (purpose IN ('register', 'reset', 'link')),
                -- The address in the form in which addresses are compared, and as it was written.
                subject TEXT NOT NULL,
                address TEXT NOT NULL,
                seed BLOB NOT NULL CHECK (length(seed) = 16),
                -- Of whoever resets or links; NULL of a registration.
                "user" TEXT REFERENCES users (id),
                -- Of a registration: the id and the name that were asked for, and the digest of the invite's token.
                new_user TEXT CHECK ((new_user IS NOT NULL) = (purpose = 'register')),
                display_name TEXT,
                invite BLOB CHECK (length(invite) = 32),
                -- The password that is set with it, as in passwords; NULL where it comes with the code.
                salt BLOB CHECK (length(salt) = 16),
                passes INTEGER CHECK ((passes IS NULL) = (salt IS NULL)),
                kibibytes INTEGER CHECK ((kibibytes IS NULL) = (salt IS NULL)),
                hash BLOB CHECK ((hash IS NULL) = (salt IS NULL)) CHECK (length(hash) = 32),
                -- How often a wrong code was given.
                attempts INTEGER NOT NULL DEFAULT 0 CHECK (attempts >= 0),
                -- By the gateway's steady time.
                expires_at INTEGER NOT NULL,
                CHECK (("user" IS NULL) = (purpose = 'register'))
            ) STRICT;

            CREATE INDEX account_codes_of_subject ON account_codes (subject, purpose);
            CREATE INDEX account_codes_of_user ON account_codes ("user") WHERE "user" IS NOT NULL;
            CREATE INDEX account_codes_by_end ON account_codes (expires_at);

            -- Requests that were carried out, so that a repeat of one does nothing.
            CREATE TABLE account_requests (
                id BLOB NOT NULL PRIMARY KEY CHECK (length(id) = 16),
                digest BLOB NOT NULL CHECK (length(digest) = 16),
                -- Whether it was refused: a wrong code counts once.
                is_refused INTEGER NOT NULL CHECK (is_refused IN (0, 1)),
                -- The device that it has signed in, if it has.
                "user" TEXT,
                device TEXT CHECK ((device IS NULL) = ("user" IS NULL)),
                -- By the gateway's steady time.
                removed_at INTEGER NOT NULL
            ) STRICT, WITHOUT ROWID;

            CREATE INDEX account_requests_by_end ON account_requests (removed_at);

            -- Mails that are to be sent. A row goes when its mail was handed over, or is of no use any more.
            CREATE TABLE mails (
                key INTEGER PRIMARY KEY,
                -- "none" is sent to nobody: a request for an unknown address writes as much as one for a known one.
                kind TEXT NOT NULL
                    CHECK (kind IN ('register', 'reset', 'link', 'registered', 'linked', 'replaced', 'added', 'none')),
                address TEXT NOT NULL,
                seed BLOB CHECK (length(seed) = 16),
                attempts INTEGER NOT NULL DEFAULT 0 CHECK (attempts >= 0),
                -- By the gateway's steady time, as is the end.
                due_at INTEGER NOT NULL,
                expires_at INTEGER NOT NULL,
                CHECK ((seed IS NOT NULL) = (kind IN ('register', 'reset', 'link')))
            ) STRICT;

            CREATE INDEX mails_by_time ON mails (due_at);
            CREATE INDEX mails_by_end ON mails (expires_at);

            -- Departed users of whom something is left that is only theirs.
            CREATE TABLE account_removals (
                "user" TEXT NOT NULL PRIMARY KEY REFERENCES users (id),
                -- The device that has asked for it.
                device TEXT NOT NULL,
                -- The last conversation that they have left, by its key; NULL when they have left all.
                left_through INTEGER
            ) STRICT, WITHOUT ROWID;

            -- By what the rows of a departed user are found.
            CREATE INDEX ended_friendships_of_greater ON ended_friendships (greater);
            CREATE INDEX activity_reactions_of_user ON activity_reactions ("user");
            CREATE INDEX deleted_workouts_of_user ON deleted_workouts ("user");
            CREATE INDEX invites_of_maker ON invites (maker);
            CREATE INDEX invite_uses_of_user ON invite_uses ("user");
            CREATE INDEX group_removals_of_user ON group_removals ("user");
            CREATE INDEX departures_of_user ON departures ("user");
            """)
}
