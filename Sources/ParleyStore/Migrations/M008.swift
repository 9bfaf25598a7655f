extension Migration {
    /// The run of the broker that was given what is retained of conversations, and whose names in it are no longer
    /// theirs.
    static let m008 = Migration(
        name: "008",
        sql: """
            -- The run of the broker that was last given everything that is to be retained on `info` of groups.
            ALTER TABLE publishing ADD COLUMN info_broker INTEGER;

            -- Users whose display name has changed, until `info` of all their groups has been published with it.
            CREATE TABLE name_changes (
                user TEXT NOT NULL PRIMARY KEY REFERENCES users (id),
                -- The last group of which it was published, by its key; NULL before the first.
                published_through INTEGER,
                -- Whether the name has changed again since the first was published.
                is_stale INTEGER NOT NULL CHECK (is_stale = 0 OR is_stale = 1 AND published_through IS NOT NULL),
                -- When more is to be done, by the gateway's steady time.
                due_at INTEGER NOT NULL
            ) STRICT, WITHOUT ROWID;

            CREATE INDEX name_changes_by_time ON name_changes (due_at, user);
            """)
}
