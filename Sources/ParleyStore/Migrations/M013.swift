extension Migration {
    /// By what challenges that are over, and what is left of deleted workouts, are found when they are old; and who is
    /// yet to be notified of the end of a week.
    static let m013 = Migration(
        name: "013",
        sql: """
            CREATE INDEX challenges_over ON challenges (published_at) WHERE due_at IS NULL;
            CREATE INDEX deleted_workouts_by_time ON deleted_workouts (completed_at);

            -- Whether something was done in the week after the one that runs, which was logged before that ended.
            ALTER TABLE board_weeks ADD COLUMN is_ahead INTEGER NOT NULL DEFAULT 0 CHECK (is_ahead IN (0, 1));

            -- Weeks that have ended, of which the members of the group are yet to be notified.
            CREATE TABLE ended_weeks (
                of_group INTEGER NOT NULL REFERENCES groups (key),
                week INTEGER NOT NULL CHECK ((week + 3) % 7 = 0),
                ended_at INTEGER NOT NULL,
                PRIMARY KEY (of_group, week)
            ) STRICT, WITHOUT ROWID;
            """)
}
