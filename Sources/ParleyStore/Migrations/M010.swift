extension Migration {
    /// Workouts, the days in a row that have one, and the boards of groups.
    static let m010 = Migration(
        name: "010",
        sql: """
            -- What people have done, by the day that it was where they did it. Days are counted from 1970-01-01.
            CREATE TABLE workouts (
                user TEXT NOT NULL REFERENCES users (id),
                day INTEGER NOT NULL,
                id BLOB NOT NULL UNIQUE CHECK (length(id) = 16),
                completed_at INTEGER NOT NULL,
                -- The IANA name of the zone where it was done.
                time_zone TEXT NOT NULL CHECK (length(time_zone) BETWEEN 1 AND 64),
                kind TEXT CHECK (length(kind) <= 64),
                minutes INTEGER CHECK (minutes BETWEEN 0 AND 1440),
                request_digest BLOB NOT NULL CHECK (length(request_digest) = 16),
                -- The reply to the request that has made it, which a repeat gets: the Monday of its week, and two counts.
                week INTEGER NOT NULL CHECK ((week + 3) % 7 = 0),
                check_ins INTEGER NOT NULL CHECK (check_ins >= 0),
                streak_days INTEGER NOT NULL CHECK (streak_days >= 0),
                PRIMARY KEY (user, day, id)
            ) STRICT, WITHOUT ROWID;

            -- What was taken back, so that a late repeat does not bring it again.
            CREATE TABLE deleted_workouts (
                id BLOB NOT NULL PRIMARY KEY CHECK (length(id) = 16),
                user TEXT NOT NULL REFERENCES users (id),
                completed_at INTEGER NOT NULL,
                request_digest BLOB NOT NULL CHECK (length(request_digest) = 16),
                week INTEGER NOT NULL CHECK ((week + 3) % 7 = 0),
                check_ins INTEGER NOT NULL CHECK (check_ins >= 0),
                streak_days INTEGER NOT NULL CHECK (streak_days >= 0)
            ) STRICT, WITHOUT ROWID;

            -- Days in a row with a workout, as many as there are: the days before and after have none.
            CREATE TABLE workout_runs (
                user TEXT NOT NULL REFERENCES users (id),
                first_day INTEGER NOT NULL,
                last_day INTEGER NOT NULL CHECK (last_day >= first_day),
                PRIMARY KEY (user, first_day)
            ) STRICT, WITHOUT ROWID;

            -- The week that runs for each group, by its Monday.
            CREATE TABLE board_weeks (
                of_group INTEGER NOT NULL PRIMARY KEY REFERENCES groups (key),
                week INTEGER NOT NULL CHECK ((week + 3) % 7 = 0),
                starts_at INTEGER NOT NULL,
                ends_at INTEGER NOT NULL CHECK (ends_at > starts_at)
            ) STRICT, WITHOUT ROWID;

            CREATE INDEX board_weeks_by_end ON board_weeks (ends_at);
            CREATE INDEX board_weeks_by_start ON board_weeks (starts_at);

            CREATE TABLE boards (
                of_group INTEGER NOT NULL REFERENCES groups (key),
                week INTEGER NOT NULL CHECK ((week + 3) % 7 = 0),
                type TEXT NOT NULL CHECK (type IN ('check-ins', 'streak')),
                starts_at INTEGER NOT NULL,
                ends_at INTEGER NOT NULL CHECK (ends_at > starts_at),
                version INTEGER NOT NULL CHECK (version >= 1),
                -- The version that was last published, or need not be.
                published_version INTEGER NOT NULL CHECK (published_version BETWEEN 0 AND version),
                -- When the first of its streaks is over if no workout follows; NULL when the week has ended.
                lapses_at INTEGER CHECK (lapses_at IS NULL OR type = 'streak'),
                -- When it is removed, by the gateway's steady time.
                removed_at INTEGER NOT NULL,
                PRIMARY KEY (of_group, week, type)
            ) STRICT, WITHOUT ROWID;

            CREATE INDEX boards_unpublished ON boards (of_group) WHERE version > published_version;
            CREATE INDEX boards_by_lapse ON boards (lapses_at) WHERE lapses_at IS NOT NULL;
            CREATE INDEX boards_by_removal ON boards (removed_at);

            -- Who stands on a board. Who has nothing, or shares nothing, is not on it.
            CREATE TABLE board_entries (
                of_group INTEGER NOT NULL,
                week INTEGER NOT NULL,
                type TEXT NOT NULL,
                user TEXT NOT NULL REFERENCES users (id),
                value INTEGER NOT NULL CHECK (value > 0),
                -- When the workout was done that made the value.
                reached_at INTEGER NOT NULL,
                -- When it is over if no workout follows.
                lapses_at INTEGER CHECK (lapses_at IS NULL OR type = 'streak'),
                -- When the user had joined the group.
                joined_at INTEGER NOT NULL,
                rank INTEGER NOT NULL CHECK (rank > 0),
                -- The rank before it last changed.
                previous_rank INTEGER CHECK (previous_rank > 0 AND previous_rank <> rank),
                PRIMARY KEY (of_group, week, type, user),
                FOREIGN KEY (of_group, week, type) REFERENCES boards (of_group, week, type)
            ) STRICT, WITHOUT ROWID;

            CREATE INDEX board_entries_of_user ON board_entries (user);

            -- The run of the broker that was last given all boards that are to be retained.
            ALTER TABLE publishing ADD COLUMN boards_broker INTEGER;
            -- How far the time of day was ahead of the steady time when all boards were last brought up to it.
            ALTER TABLE publishing ADD COLUMN boards_steps INTEGER;
            """)
}
