extension C001 {
    /// The weeks of groups and their leaderboards.
    static let boards = [
        """
        CREATE TABLE board_weeks (
            of_group BIGINT NOT NULL PRIMARY KEY REFERENCES groups (key),
            week BIGINT NOT NULL CHECK ((week + 3) % 7 = 0),
            starts_at BIGINT NOT NULL,
            ends_at BIGINT NOT NULL CONSTRAINT board_weeks_ends_at_check CHECK (ends_at > starts_at),
            is_ahead BIGINT NOT NULL DEFAULT 0 CHECK (is_ahead IN (0, 1))
        )
        """,
        "CREATE INDEX board_weeks_by_end ON board_weeks (ends_at)",
        "CREATE INDEX board_weeks_by_start ON board_weeks (starts_at)",
        """
        CREATE TABLE boards (
            of_group BIGINT NOT NULL REFERENCES groups (key),
            week BIGINT NOT NULL CHECK ((week + 3) % 7 = 0),
            type TEXT COLLATE "C" NOT NULL CHECK (type IN ('check-ins', 'streak')),
            starts_at BIGINT NOT NULL,
            ends_at BIGINT NOT NULL CONSTRAINT boards_ends_at_check CHECK (ends_at > starts_at),
            version BIGINT NOT NULL CHECK (version >= 1),
            -- The version that was last published, or need not be.
            published_version BIGINT NOT NULL
                CONSTRAINT boards_published_version_check CHECK (published_version BETWEEN 0 AND version),
            -- When the first of its streaks is over if no workout follows; NULL when the week has ended.
            lapses_at BIGINT CONSTRAINT boards_lapses_at_check CHECK (lapses_at IS NULL OR type = 'streak'),
            -- When it is removed, by the gateway's steady time.
            removed_at BIGINT NOT NULL,
            PRIMARY KEY (of_group, week, type)
        )
        """,
        "CREATE INDEX boards_unpublished ON boards (of_group) WHERE version > published_version",
        "CREATE INDEX boards_by_lapse ON boards (lapses_at) WHERE lapses_at IS NOT NULL",
        "CREATE INDEX boards_by_removal ON boards (removed_at)",
        """
        CREATE TABLE board_entries (
            of_group BIGINT NOT NULL,
            week BIGINT NOT NULL,
            type TEXT COLLATE "C" NOT NULL,
            "user" TEXT COLLATE "C" NOT NULL REFERENCES users (id),
            value BIGINT NOT NULL CHECK (value > 0),
            -- When the workout was done that made the value.
            reached_at BIGINT NOT NULL,
            -- When it is over if no workout follows.
            lapses_at BIGINT
                CONSTRAINT board_entries_lapses_at_check CHECK (lapses_at IS NULL OR type = 'streak'),
            -- When the user had joined the group.
            joined_at BIGINT NOT NULL,
            rank BIGINT NOT NULL CHECK (rank > 0),
            -- The rank before it last changed.
            previous_rank BIGINT
                CONSTRAINT board_entries_previous_rank_check
                    CHECK (previous_rank > 0 AND previous_rank <> rank),
            PRIMARY KEY (of_group, week, type, "user"),
            FOREIGN KEY (of_group, week, type) REFERENCES boards (of_group, week, type)
        )
        """,
        #"CREATE INDEX board_entries_of_user ON board_entries ("user")"#,
        """
        CREATE TABLE ended_weeks (
            of_group BIGINT NOT NULL REFERENCES groups (key),
            week BIGINT NOT NULL CHECK ((week + 3) % 7 = 0),
            ended_at BIGINT NOT NULL,
            PRIMARY KEY (of_group, week)
        )
        """,
    ]
}
