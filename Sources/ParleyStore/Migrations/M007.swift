extension Migration {
    /// Account keys and their backups, what they have certified, offers to link devices, and changes of keys that are
    /// to be told; what people call a device, and when it was last seen.
    static let m007 = Migration(
        name: "007",
        sql: """
            -- The user's Ed25519 key; its secret half is on their devices, and in the backup, which their recovery key seals.
            ALTER TABLE users ADD COLUMN account_key BLOB CHECK (length(account_key) = 32);
            ALTER TABLE users ADD COLUMN account_backup BLOB CHECK (length(account_backup) BETWEEN 1 AND 4096);
            ALTER TABLE users ADD COLUMN account_backup_at INTEGER
                CHECK ((account_backup_at IS NULL) = (account_backup IS NULL));

            -- By the user's account key as it now is, over both keys of the device.
            ALTER TABLE devices ADD COLUMN certificate BLOB CHECK (
                length(certificate) = 64 AND identity_key IS NOT NULL AND signing_key IS NOT NULL
                OR certificate IS NULL);
            ALTER TABLE devices ADD COLUMN issued_at INTEGER CHECK ((issued_at IS NULL) = (certificate IS NULL));
            ALTER TABLE devices ADD COLUMN name TEXT;
            -- When it last asked for something, to within some minutes.
            ALTER TABLE devices ADD COLUMN last_seen INTEGER;

            -- What devices have offered to be linked by, one offer each, until its time has come.
            CREATE TABLE link_offers (
                user TEXT NOT NULL,
                device TEXT NOT NULL,
                identity_key BLOB NOT NULL CHECK (length(identity_key) = 32),
                signing_key BLOB NOT NULL CHECK (length(signing_key) = 32),
                link_key BLOB NOT NULL CHECK (length(link_key) = 32),
                expires_at INTEGER NOT NULL,
                -- What the request was that has approved it, so that a repeat of it is known.
                approval BLOB CHECK (length(approval) = 16),
                PRIMARY KEY (user, device),
                FOREIGN KEY (user, device) REFERENCES devices (user, id)
            ) STRICT, WITHOUT ROWID;

            CREATE INDEX link_offers_by_end ON link_offers (expires_at);

            -- Users whose keys have changed, until all whom it concerns have been told and may be told again.
            CREATE TABLE key_changes (
                user TEXT NOT NULL PRIMARY KEY REFERENCES users (id),
                -- Who was told last, in the order of ids; empty before the first, NULL after the last.
                told_through TEXT,
                -- Whether they have changed again since the telling began.
                is_stale INTEGER NOT NULL CHECK (is_stale IN (0, 1)),
                -- When more is to be done, by the gateway's steady time.
                due_at INTEGER NOT NULL
            ) STRICT, WITHOUT ROWID;

            CREATE INDEX key_changes_by_time ON key_changes (due_at, user);
            """)
}
